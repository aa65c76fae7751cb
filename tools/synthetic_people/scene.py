"""A person before the camera: triangles and strands in the world, dressed and posed."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from tools.synthetic_people.assets import Assets
from tools.synthetic_people.eyes import eyeball
from tools.synthetic_people.facial_hair import make_beard, make_brows, make_lashes
from tools.synthetic_people.hair import make_hair, scalp_density
from tools.synthetic_people.person import Person
from tools.synthetic_people.raster import vertex_normals
from tools.synthetic_people.shape import Head, make_head
from tools.synthetic_people.shots import Shot
from tools.synthetic_people.skin import Skin, make_skin
from tools.synthetic_people.strands import Strands
from tools.synthetic_people.surfaces import cloth_depth

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

PIVOT = np.array([0.0, 6.55, 0.35], np.float32)
EYE_PART = 3  # after SKIN, TEETH and TONGUE of `assets`


@dataclass(frozen=True)
class Sitter:
    """What does not change between the photos of a person."""

    person: Person
    head: Head
    skin: Skin
    hair: Strands
    scalp: Floats


@dataclass(frozen=True)
class Scene:
    """All triangles in the world, posed, with what each vertex carries.

    `masks` (n, 6): lips, lids, ears, inside of the mouth, depth under cloth, density of the hair.
    """

    points: Floats
    normals: Floats
    triangles: Ints
    rest: Floats
    masks: Floats
    part: Ints


def make_sitter(assets: Assets, person: Person) -> Sitter:
    """Shape, skin and hair of a person."""
    head = make_head(assets, person, "neutral")
    hair = make_hair(assets, person, head.points)
    return Sitter(person, head, make_skin(person), hair, scalp_density(assets, person))


def _pose(points: Floats, shot: Shot) -> Floats:
    """Turn the head about the neck; the shoulders stay."""
    yaw, pitch, roll = np.radians([shot.yaw, shot.pitch, shot.roll])
    turn = cv2.Rodrigues(np.array([0, yaw, 0]))[0] @ cv2.Rodrigues(np.array([pitch, 0, 0]))[0]
    turn = turn @ cv2.Rodrigues(np.array([0, 0, roll]))[0]
    t = np.clip((points[:, 1:2] - 5.75) / 0.75, 0, 1)
    share = t * t * (3 - 2 * t)
    turned = (points - PIVOT) @ turn.T.astype(np.float32) + PIVOT
    return (points + share * (turned - points)).astype(np.float32)


def make_scene(assets: Assets, sitter: Sitter, head: Head, shot: Shot) -> Scene:
    """The body with its clothes, and two eyeballs that look where the shot says."""
    under = cloth_depth(assets.rest, sitter.person.neckline)
    body = head.points + _cloth_offset(head.points, under, assets.mesh.triangles)
    points, rest, triangles = [body], [assets.rest], [assets.mesh.triangles]
    masks = [
        np.stack([assets.lips, assets.lids, assets.ears, assets.cavity, under, sitter.scalp], 1)
    ]
    part = [assets.part]
    count = len(body)
    gaze = np.array([np.radians(shot.gaze[0]), np.radians(shot.gaze[1]), 1.0])
    for i in range(2):
        # eyes meet a little: they look at the camera
        toe_in = np.array([-0.02 if head.eyes[i, 0] > 0 else 0.02, 0, 0])
        p, local, faces = eyeball(head.eyes[i], head.eye_radius, gaze + toe_in)
        points.append(p)
        rest.append(local)
        triangles.append(faces + count)
        masks.append(np.zeros((len(p), 6), np.float32))
        part.append(np.full(len(p), EYE_PART, np.int32))
        count += len(p)
    posed = _pose(np.concatenate(points), shot)
    faces = np.concatenate(triangles).astype(np.int32)
    return Scene(
        posed, vertex_normals(posed, faces), faces, np.concatenate(rest).astype(np.float32),
        np.concatenate(masks).astype(np.float32), np.concatenate(part),
    )  # fmt: skip


def _cloth_offset(points: Floats, under: Floats, triangles: Ints) -> Floats:
    """Cloth stands off the skin, most at the hem."""
    t = np.clip((under + 0.16) / 0.16, 0, 1)
    return vertex_normals(points, triangles) * (0.045 * t * t * (3 - 2 * t))[:, None]


def make_strands(assets: Assets, sitter: Sitter, head: Head, shot: Shot) -> list[Strands]:
    """Hair first (it casts the shadows), then what grows on the face."""
    grown = [sitter.hair, make_brows(assets, sitter.person, head.points)]
    beard = make_beard(assets, sitter.person, head.points)
    grown += [beard] if beard is not None else []
    grown.append(make_lashes(assets, sitter.person, head.points))
    posed = []
    for bundle in grown:
        flat = _pose(bundle.points.reshape(-1, 3), shot).reshape(bundle.points.shape)
        posed.append(Strands(flat, bundle.colours, bundle.width, bundle.gloss))
    return posed
