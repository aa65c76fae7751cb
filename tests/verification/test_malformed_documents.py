"""Whatever a certificate or a ledger holds, the verifier answers; it never breaks."""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ksame.verification import verify

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**9),
    st.floats(),
    st.text(max_size=4),
    st.just([]),
    st.just({}),
    st.just("zz"),
    st.just([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
)


def places(value, path=()):
    """Every place of a JSON document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for name, item in list(inner):
        yield (*path, name)
        if isinstance(item, dict | list):
            yield from places(item, (*path, name))


def spoil(document, place, value):
    spoiled = copy.deepcopy(document)
    inner = spoiled
    for name in place[:-1]:
        inner = inner[name]
    if value == "absent":
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return spoiled


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), which=st.sampled_from(["certificate", "ledger"]))
def test_any_entry_may_be_anything(forged, data, which):
    documents = dict(zip(("certificate", "ledger"), PRISTINE or forged.read(), strict=True))
    if not PRISTINE:
        PRISTINE.extend(documents.values())
    every = sorted(places(documents[which]), key=str)
    # lists are long: choose what is spoiled by its kind first
    kinds = sorted({tuple(p for p in place if isinstance(p, str)) for place in every})
    kind = data.draw(st.sampled_from(kinds))
    place = data.draw(
        st.sampled_from([p for p in every if tuple(q for q in p if isinstance(q, str)) == kind])
    )
    value = data.draw(st.one_of(st.just("absent"), ODD))
    spoiled = {**documents, which: spoil(documents[which], place, value)}
    (forged.out / "certificate.json").write_text(json.dumps(spoiled["certificate"]))
    forged.ledger.write_text(json.dumps(spoiled["ledger"]))
    same = json.dumps(spoiled[which]) == json.dumps(documents[which])
    verdict = verify(forged.out, forged.ledger)
    assert verdict.holds is same
    people = {face["person"] for face in documents["ledger"]["faces"] if face["person"]}
    for finding in verdict.findings:
        assert not any(person in str(finding) for person in people)


PRISTINE = []


@pytest.mark.parametrize("text", ["", "[]", "null", '{"format": "other"}', "{", "[" * 100_000])
def test_what_is_no_document_at_all(forged, text):
    forged.ledger.write_text(text)
    assert forged.ledger.name in str(verify(forged.out, forged.ledger).findings[0])
    (forged.out / "certificate.json").write_text(text)
    assert "certificate.json" in str(verify(forged.out).findings[0])


def test_bytes_that_are_no_text(forged):
    (forged.out / "certificate.json").write_bytes(b"\xff\xfe\x00")
    assert not verify(forged.out).holds
    assert not verify(forged.out / "absent", "absent").holds


@pytest.mark.parametrize(
    ("document", "name", "value"),
    [(1, "nonce", "\ud800"), (0, "report", {"file": "a" * 5000, "sha256": ""})],
    ids=["half a letter", "a name too long"],
)
def test_what_no_file_and_no_text_can_be_is_a_finding(forged, document, name, value):
    """Found by make fuzz."""
    documents = forged.read()
    documents[document][name] = value
    forged.write(*documents, sealed=False)
    assert not verify(forged.out, forged.ledger).holds
