"""Mutations that keep enough of a file's structure to get past its first check."""

import json
import random
from typing import Any

_ODD: tuple[Any, ...] = (
    None, True, -1, 0, 2**63, 1e308, float("nan"), "", "\x00", "../x", "\ud800", [], {}, [[]],
    "a" * 5000,
)  # fmt: skip
_NUMBERS = (0x00, 0x01, 0x7F, 0x80, 0xFF)


def mutate_bytes(data: bytes, dice: random.Random) -> bytes:
    """Some bytes changed, a piece cut out, doubled or swapped, or the end cut off."""
    found = bytearray(data)
    for _ in range(dice.randint(1, 6)):
        if not found:
            break
        at = dice.randrange(len(found))
        length = min(dice.choice((1, 2, 4, 16, 256)), len(found) - at)
        what = dice.randrange(6)
        if what == 0:
            found[at] = dice.choice(_NUMBERS)
        elif what == 1:
            found[at : at + length] = dice.randbytes(length)
        elif what == 2:
            del found[at : at + length]
        elif what == 3:
            found[at:at] = found[at : at + length]
        elif what == 4:
            found[at : at + length] = b"\xff" * length
        else:
            del found[at:]
    return bytes(found)


def mutate_json(data: bytes, dice: random.Random) -> bytes:
    """An entry replaced, removed, doubled or moved; now and then the bytes as well."""
    value = json.loads(data)
    for _ in range(dice.randint(1, 4)):
        value = _changed(value, dice)
    text = json.dumps(value, ensure_ascii=True).encode()
    return mutate_bytes(text, dice) if dice.random() < 0.15 else text


def _changed(value: Any, dice: random.Random) -> Any:
    if isinstance(value, dict) and value:
        name = dice.choice(sorted(value))
        if dice.random() < 0.25:
            return {key: item for key, item in value.items() if key != name}
        return {**value, name: _changed(value[name], dice)}
    if isinstance(value, list) and value:
        at = dice.randrange(len(value))
        if dice.random() < 0.15:
            return value[:at] + value[at + 1 :]
        if dice.random() < 0.15:
            return [*value, value[at]]
        return [*value[:at], _changed(value[at], dice), *value[at + 1 :]]
    if isinstance(value, int | float) and not isinstance(value, bool) and dice.random() < 0.5:
        return value + dice.choice((-1, 1, -1000, 0.5, 1e9))
    return dice.choice(_ODD)


def mutate_csv(data: bytes, dice: random.Random) -> bytes:
    """Cells emptied, doubled, quoted, made odd; or the bytes changed."""
    rows = [line.split(",") for line in data.decode().splitlines()]
    for _ in range(dice.randint(1, 5)):
        row = dice.choice(rows)
        at = dice.randrange(len(row))
        what = dice.randrange(6)
        if what == 0:
            row[at] = ""
        elif what == 1:
            row[at] = dice.choice(("\x00", '"', "..", "/dev/zero", "é" * 300, "\u202e", "'"))
        elif what == 2:
            row.append(row[at])
        elif what == 3:
            rows.append(list(row))
        elif what == 4:
            row.pop(at)
            row.append("x")
        else:
            row[at] = row[at].upper()
    text = "\n".join(",".join(row) for row in rows).encode("utf-8", "surrogatepass")
    return mutate_bytes(text, dice) if dice.random() < 0.2 else text
