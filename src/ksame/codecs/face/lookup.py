"""From a photo to the texture frame: where each pixel of the frame lies in the photo."""

import cv2
import numpy as np

from ksame.arrays import AnyFloats, Bools, Floats, Floats32, Image, Ints32


class Lookup:
    """Barycentric places of a frame's pixels in the triangles of a mesh."""

    def __init__(self, places: Floats32, triangles: Ints32, side: int) -> None:
        owner = np.full((side, side), -1, np.int32)
        for number, corners in enumerate(places[triangles]):
            spots = np.round(corners * 16).astype(np.int32)
            cv2.fillConvexPoly(owner, spots, number, cv2.LINE_8, 4)
        self.inside: Bools = owner >= 0
        y, x = np.nonzero(self.inside)
        self._corners = triangles[owner[y, x]]
        square = np.concatenate([places[self._corners], np.ones((len(x), 3, 1))], axis=2)
        spot = np.column_stack([x, y, np.ones(len(x))])
        turned = square.transpose(0, 2, 1).astype(np.float64)
        self._weights = np.linalg.solve(turned, spot[:, :, None])[:, :, 0].astype(np.float32)

    def spread(self, values: AnyFloats) -> Floats32:
        """Values of the points, (n, c), at every pixel of the frame; zero outside."""
        out = np.zeros((*self.inside.shape, values.shape[1]), np.float32)
        out[self.inside] = np.einsum("pk,pkc->pc", self._weights, values[self._corners])
        return out

    def take(self, image: Image, points: Floats) -> Image:
        """The frame as a photo shows it whose mesh points lie at (n, 2); edges are carried on."""
        spots = points
        used = points[np.unique(self._corners)]
        own = np.ptp(np.argwhere(self.inside), axis=0).max()
        # what shrinks to less than half is taken from a smaller copy, lest it alias
        factor = float(np.ptp(used, axis=0).max()) / max(float(own), 1.0)
        while factor > 1.6 and min(image.shape[:2]) > 4:
            image = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            spots, factor = (spots + 0.5) / 2 - 0.5, factor / 2
        where = self.spread(spots)
        taken: Image = cv2.remap(
            image, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return taken


def vertex_normals(points: AnyFloats, triangles: Ints32) -> Floats:
    """Unit normals of a frontal mesh, towards the camera (negative z), weighted by area."""
    a, b, c = (np.asarray(points, np.float64)[triangles[:, i]] for i in range(3))
    flat = np.cross(b - a, c - a)
    flat *= np.where(flat[:, 2] > 0, -1, 1)[:, None]
    return _gathered(flat, triangles, len(points))


def facing(points: AnyFloats, triangles: Ints32) -> Floats:
    """How far each point of a posed mesh looks into the camera: 1 straight, 0 and less hidden."""
    a, b, c = (np.asarray(points, np.float64)[triangles[:, i]] for i in range(3))
    flat = np.cross(b - a, c - a)
    normals = _gathered(flat, triangles, len(points))
    # MediaPipe's triangles all run the same way round; most of a face is towards the camera
    used = np.unique(triangles)
    sign = -1.0 if np.median(normals[used, 2]) > 0 else 1.0
    away: Floats = -sign * normals[:, 2]
    return away


def _gathered(flat: Floats, triangles: Ints32, count: int) -> Floats:
    out = np.zeros((count, 3))
    for corner in range(3):
        np.add.at(out, triangles[:, corner], flat)
    unit: Floats = out / (np.linalg.norm(out, axis=1, keepdims=True) + 1e-12)
    return unit
