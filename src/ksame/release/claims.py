"""What a release stands for, in sentences, and what it says nothing of."""

from typing import Final

from ksame.release.ledger import Ledger
from ksame.release.options import NOBODY
from ksame.release.plan import Plan

_NOT_CLAIMED: Final = (
    "hair, clothes, body, tattoos and everything else outside of the replaced region",
    "the scene: place, time, objects, writing and other people's context",
    "voice, gait and the way in which a face moves",
    "faces that the detector does not see",
    "how many photos a person has: who knows that guesses right as often as measured.counts says",
    "who is in the collection as a whole: a group discloses that one of its people is shown",
    "further releases of the same people with other groups: intersecting them can single out",
)
_NATURAL: Final = (
    "which of the people of a group is shown, towards whoever holds a photo of the same sitting: "
    "hair, place, size, light and skin tone are the photo's own and tell",
    "that other photos of the people of a group tell no more than guessing: the pose that "
    "somebody holds, skin tone and expression help, as often as measured.inside_groups says",
)
# people whom clustering took for two: 3 of 150 of LFW (at a higher limit than today's), none of 142
# of London and IMM
SPLIT: Final = (3, 292)
_HIDDEN: Final = {
    "fill": "a face that could not be replaced is filled from its surroundings",
    "blackout": "a face that could not be replaced is black",
    "withhold": "a photo with a face that could not be replaced is withheld",
}


def decided(ledger: Ledger) -> dict[str, int]:
    """How often a person decided instead of the models, by kind."""
    kept = [face for face in ledger.faces if face.kept]
    return {
        "faces_drawn": sum(face.drawn for face in ledger.faces),
        "faces_dismissed": sum(len(boxes) for boxes in ledger.dismissed.values()),
        "people_with_corrected_looks": len({face.person for face in ledger.faces if face.looks}),
        "people_kept": len({face.person for face in kept}),
        "faces_kept": len(kept),
    }


def consents(ledger: Ledger) -> list[str]:
    """What a person's decisions take away from the claims."""
    told, sentences = decided(ledger), []
    if told["faces_kept"]:
        sentences.append(
            f"nothing is claimed for {told['faces_kept']} faces of {told['people_kept']} people, "
            "listed under kept, who by a person's decision are shown as they are"
        )
    if told["faces_dismissed"]:
        sentences.append(
            f"nothing is claimed for {told['faces_dismissed']} places that a detector takes for "
            "faces and a person who looked does not"
        )
    return sentences


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
            "no pixel of any photo is in a replaced face but what lies in front of it (hair, "
            "hands, hats), on at most two fifths of it and never on brows, eyes, nose or mouth; "
            "what else passes from the photo into it is a list of numbers (pose, expression and "
            "gaze, light, outline, sharpness and grain, and where a mask and glasses are), kept in "
            "the private ledger, from which every face can be drawn again"
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


def not_claimed(plan: Plan) -> list[str]:
    """What the release says nothing of; a natural one also what its numbers tell."""
    natural = plan.recipe is not None and plan.composite == "natural"
    return [*_NOT_CLAIMED, *(_NATURAL if natural else ())]


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
