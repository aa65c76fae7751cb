"""People are counted anew: per surrogate, per look, and who lent the hair."""

import pytest

from ksame.verification import verify


def said(forged):
    """What is found; the forger here recounts neither common places nor guesses by counts."""
    found = map(str, verify(forged.out, forged.ledger).findings)
    uncounted = ("common places", "numbers of photos")
    return " | ".join(one for one in found if not any(what in one for what in uncounted))


def test_a_look_that_fewer_than_k_people_show(forged):
    """Two of three smiling people lose their smiling photo: everything else is mended."""

    def drop(certificate, ledger):
        group = ledger["groups"][0]
        smiles = [
            face
            for face in ledger["faces"]
            if face["group"] == group["group"] and face["state"] == "smile"
        ]
        gone = {face["file"] for face in smiles[1:]}
        assert len({face["person"] for face in smiles}) == 3
        for name in gone:
            (forged.out / name).unlink()
            certificate["files"].pop(name)
            ledger["files"].pop(name)
        ledger["faces"] = [face for face in ledger["faces"] if face["file"] not in gone]
        shown = next(g for g in certificate["groups"] if g["surrogate"] == group["surrogate"])
        shown["faces"] -= len(gone)
        certificate["faces"] -= len(gone)
        certificate["photos"] -= len(gone)

    forged.edit(drop)
    short = forged.read()[1]["groups"][0]["surrogate"][:12]
    assert said(forged) == f"surrogate {short}: 1 people show it as smile, k=3"


def test_people_who_share_a_look_unseen_count_if_they_are_of_the_group(forged):
    test_a_look_that_fewer_than_k_people_show(forged)
    people = forged.read()[1]["groups"][0]["people"]

    def name(who):
        def change(certificate, ledger):
            ledger["groups"][0]["unseen"] = {"smile": who}

        forged.edit(change)
        return said(forged)

    assert name(people) == ""
    assert "counts people for a look who are not of the group" in name(["x", "y", *people])


def test_a_grey_look_is_a_look_of_its_own(forged):
    def grey(certificate, ledger):
        group = ledger["groups"][0]
        group["looks"]["grey smile"] = group["looks"]["smile"]
        face = next(
            f for f in ledger["faces"] if f["group"] == group["group"] and f["state"] == "smile"
        )
        face["state"] = "grey smile"

    forged.edit(grey)
    assert "1 people show it as grey smile, k=3" in said(forged)
    assert "2 people show it as smile, k=3" in said(forged)


def test_hair_lent_by_a_member_of_the_group(forged):
    def lend(certificate, ledger):
        group = ledger["groups"][0]
        assert group["head"] not in group["people"]
        group["head"] = group["people"][-1]

    forged.edit(lend)
    assert "wears the hair of one of its own people" in said(forged)


def test_hair_lent_by_somebody_who_shares_the_face_unseen(forged):
    def lend(certificate, ledger):
        group = ledger["groups"][0]
        group["others"] = [*group.get("others", []), group["head"]]

    forged.edit(lend)
    assert "wears the hair of one of its own people" in said(forged)


@pytest.mark.parametrize("name", ["people", "people_not_shown", "photos", "faces", "hidden"])
def test_every_count_of_the_certificate(forged, name):
    def more(certificate, ledger):
        certificate[name] += 1

    forged.edit(more)
    assert f"says {name}=" in said(forged)


@pytest.mark.parametrize(
    ("name", "value"),
    [("composite", "natural"), ("method", "m"), ("persons", "auto"), ("keep_names", True)],
)
def test_options_are_those_of_the_ledger(forged, name, value):
    forged.edit(lambda certificate, ledger: certificate.update({name: value}))
    assert f"says {name}={value}, the ledger {name}=" in said(forged)


def test_a_guarantee_that_was_taken_back(forged):
    forged.edit(lambda certificate, ledger: certificate.update(guarantee="none", claims=[]))
    assert "guarantees nothing, though the ledger lists groups" in said(forged)


def test_claims_for_another_k(forged):
    def boast(certificate, ledger):
        certificate["claims"] = [c.replace("k=3", "k=50") for c in certificate["claims"]]

    forged.edit(boast)
    assert "its claims are not those of k=3" in said(forged)


def test_withheld_photos_that_are_not_told(forged):
    forged.edit(lambda certificate, ledger: certificate.update(withheld={"no reason": 2}))
    assert "counts other withheld photos" in said(forged)


def test_people_of_a_group_who_are_nobodys_faces(forged):
    def pad(certificate, ledger):
        ledger["groups"][0]["people"].append("somebody else")

    forged.edit(pad)
    assert "its people are not those of its faces" in said(forged)


def test_a_face_that_nothing_protects(forged):
    def bare(certificate, ledger):
        face = next(f for f in ledger["faces"] if f["hidden"])
        face["hidden"] = None
        certificate["hidden"] = 0

    forged.edit(bare)
    assert "a face has neither a surrogate nor a black box" in said(forged)


def test_a_photo_without_a_face_in_the_ledger(forged):
    def forget(certificate, ledger):
        face = next(f for f in ledger["faces"] if f["state"] == "smile")
        ledger["faces"].remove(face)
        ledger["groups"][0]["unseen"] = {"smile": ledger["groups"][0]["people"]}
        ledger["groups"][1]["unseen"] = {"smile": ledger["groups"][1]["people"]}
        certificate["faces"] -= 1
        group = next(g for g in ledger["groups"] if g["group"] == face["group"])
        shown = next(g for g in certificate["groups"] if g["surrogate"] == group["surrogate"])
        shown["faces"] -= 1

    forged.edit(forget)
    assert said(forged).endswith(": has no face in the ledger")


def test_a_ledger_that_was_edited_later(forged):
    certificate, ledger = forged.read()
    ledger["uncertain"] = [{"one": None, "other": None}]
    forged.write(certificate, ledger, sealed=False)
    assert said(forged) == "ledger: is not the one that the certificate was made with"


def test_a_group_listed_twice(forged):
    def twice(certificate, ledger):
        ledger["groups"].append(ledger["groups"][0])
        shown = next(
            g for g in certificate["groups"] if g["surrogate"] == ledger["groups"][0]["surrogate"]
        )
        certificate["groups"].append(shown)

    forged.edit(twice)
    assert "lists a group twice" in said(forged)
