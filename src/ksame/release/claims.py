"""What a release stands for, in sentences."""

from typing import Final

from ksame.release.ledger import Ledger
from ksame.release.options import NOBODY
from ksame.release.plan import Plan

# people whom clustering took for two: 3 of 150 of LFW (at a higher limit than today's), none of 142
# of London and IMM
SPLIT: Final = (3, 292)
_HIDDEN: Final = {
    "fill": "a face that could not be replaced is filled from its surroundings",
    "blackout": "a face that could not be replaced is black",
    "withhold": "a photo with a face that could not be replaced is withheld",
}


def claims(plan: Plan, ledger: Ledger | None = None) -> list[str]:
    """The sentences that the release stands for; none for an ad hoc method."""
    if plan.recipe is None:
        return []
    sentences = [_region(plan) + _shown(plan, ledger), _one_surrogate(plan, ledger)]
    if plan.donors == "reference":
        sentences.append("the surrogate is made from reference people who are not in the release")
    elif plan.recipe.claim:
        sentences.append(plan.recipe.claim)
    if plan.style == "model":
        sentences.append(
            "no pixel of any photo is in a replaced face; what passes from the photo into it is "
            "a list of numbers (pose, expression and gaze, light, outline, sharpness and grain), "
            "kept in the private ledger, from which every face can be drawn again"
        )
    if plan.reference is not None:
        sentences.append(_unseen(plan))
    if plan.continues is not None:
        sentences.append(
            "people of the releases that this one continues keep their surrogate and share it "
            "with the same people; k counts those of them who are shown there and not here: "
            "whoever knows that they are not here is left with the people who are"
        )
    sentences.append(_HIDDEN[plan.on_failure])
    names = "are the originals' (keep_names)" if plan.keep_names else "and times tell nothing"
    sentences.append(f"the files carry no metadata; their names {names}")
    return sentences


def _region(plan: Plan) -> str:
    """What is shared, and what no recogniser can do with it."""
    k = plan.k
    if plan.composite == "strict":
        return (
            "every replaced head region (face, ears, hair line and outline) shows the same "
            f"surrogate for at least k={k} different people, placed by position, scale and "
            "in-plane rotation in coarse steps, at one place for the group wherever the photos "
            "allow it (measured.placement counts): no recogniser links that region to its person "
            f"with better than 1/{k}"
        )
    return (
        f"the identity of every replaced face (its shape and texture) is shared by at least k={k} "
        "different people; pose, expression, light, outline and hair are the photo's own and are "
        "not covered. See the measured attack rates"
    )


def _shown(plan: Plan, ledger: Ledger | None) -> str:
    """What the first claim adds where people count towards k who are in no released photo."""
    least = (
        min((len(set(group.people)) for group in ledger.groups), default=plan.k)
        if ledger
        else plan.k
    )
    if least >= plan.k:
        return ""
    return (
        f"; of these people at least {least} are in the release: whoever knows that the others "
        f"are not is left with one in {least}"
    )


def _one_surrogate(plan: Plan, ledger: Ledger | None) -> str:
    """That a person has one surrogate, and what that rests on."""
    one = "all photos of one person show one surrogate"
    if plan.persons != "auto":
        return one
    near = f"; {len(ledger.uncertain)} pairs of faces were near the limit here" if ledger else ""
    split, people = SPLIT
    return (
        f"{one}, as far as faces tell who is who: people were found by clustering, which took "
        f"{split} of {people} people of known sets for two ({split / people:.1%}){near}"
    )


def _unseen(plan: Plan) -> str:
    """What people who are not shown are worth."""
    who = "people who do not exist" if plan.reference == NOBODY else "reference people"
    return (
        f"k counts {who} who are not in the release: whoever knows that they cannot be shown is "
        "left with the people who are"
    )
