"""The colour part of `aam.py`: London's 102 neutral faces with the built-in landmarks.

Reconstruction against variance kept, times, memory, and k-Same-M beside k-Same-Pixel.
"""

import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from ksame.codecs.aam import ActiveAppearanceModel, Fit, Light, Pose, start_from_some
from ksame.datasets.known_sets import known_faces
from ksame.media import read_photo
from ksame.methods import KSameM
from ksame.vision import find_faces, find_landmarks

Floats = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]

SIZE, HELD_OUT, MANY = 256, 20, 2000
SHARES = (0.8, 0.9, 0.95, 0.98, 0.99)
PLACED_BY = [468, 473, 1]  # pupils and tip of the nose, as N registers faces
REGIONS = ([33, 133, 159, 145], [263, 362, 386, 374], [61, 291, 0, 17])  # eyes and mouth
FRAME = 300


@dataclass(frozen=True)
class Portraits:
    """Photos and their 478 detected points."""

    images: list[Image]
    shapes: Floats


def read_london(data: Path | None, count: int) -> Portraits:
    """Neutral faces, their points found by the built-in models."""
    faces = known_faces("london", root=data).where(
        lambda all_faces, i: all_faces.expression[i] == "neutral"
    )
    images, shapes = [], []
    for path in faces.images[:count]:
        rgb = read_photo(path).rgb
        found = find_landmarks(rgb, max(find_faces(rgb), key=lambda face: face.score))
        if found:
            images.append(rgb)
            shapes.append(found.points)
    return Portraits(images, np.stack(shapes))


def psnr(model: ActiveAppearanceModel, faces: Portraits, rows: range) -> float:
    """Mean PSNR in dB of textures that went through the appearance model."""
    found = []
    for i in rows:
        texture = model.sample(faces.images[i], faces.shapes[i])
        back = model.appearance_.decode(*model.appearance_.encode(texture))
        found.append(10 * np.log10(255**2 / np.mean((back - texture) ** 2)))
    return float(np.mean(found))


def measure_reconstruction(faces: Portraits) -> dict[str, float]:
    """PSNR over variance kept, on faces of the training and on people held out; times."""
    out: dict[str, float] = {}
    seen = len(faces.images) - HELD_OUT
    model = ActiveAppearanceModel(SIZE, texture_variance=1.0)
    model.fit(faces.images[:seen], faces.shapes[:seen])
    full = model.appearance_
    for share in SHARES:
        model.appearance_ = full.truncated(share)
        key = f"{round(100 * share):02d}"
        out[f"london_modes_{key}"] = float(len(model.appearance_))
        out[f"london_psnr_{key}"] = psnr(model, faces, range(seen))
        out[f"london_heldout_psnr_{key}"] = psnr(model, faces, range(seen, len(faces.images)))
    return out


def measure_times(faces: Portraits) -> tuple[ActiveAppearanceModel, list[Fit], dict[str, float]]:
    """Train on all faces; encode, decode and render them."""
    clock = time.perf_counter()
    model = ActiveAppearanceModel(SIZE).fit(faces.images, faces.shapes)
    trained = time.perf_counter() - clock
    pairs = list(zip(faces.images, faces.shapes, strict=True))

    def per_face(task: Callable[[int], object], count: int) -> float:
        task(0)
        begin = time.perf_counter()
        for i in range(count):
            task(i)
        return 1e3 * (time.perf_counter() - begin) / count

    fits = [model.project(*pair) for pair in pairs]
    codes = [fit.code for fit in fits if fit.code is not None]
    return model, fits, {
        "london_faces": float(len(pairs)),
        "london_pixels": float(len(model.mesh_)),
        "london_code_size": float(model.code_size),
        "london_train_seconds": trained,
        "london_project_ms": per_face(lambda i: model.project(*pairs[i]), len(pairs)),
        "london_encode_ms": per_face(lambda i: model.encode(*pairs[i]), len(pairs)),
        "london_decode_ms": per_face(lambda i: model.decode(codes[i]), len(pairs)),
        "london_render_ms": per_face(lambda i: model.render(codes[i], SIZE), len(pairs)),
    }  # fmt: skip


def varied(faces: Portraits, count: int) -> tuple[Iterator[Callable[[], Image]], Floats]:
    """A large training set: the photos under random light, each made when it is read."""
    rng = np.random.default_rng(0)
    which = np.arange(count) % len(faces.images)
    shapes = faces.shapes[which] + rng.normal(0, 1.0, (count, *faces.shapes.shape[1:]))
    seeds = rng.integers(0, 2**31, count)

    def reader(i: int) -> Callable[[], Image]:
        def read() -> Image:
            noise = np.random.default_rng(seeds[i])
            ramp = 1 + noise.normal(0, 0.25) * np.linspace(-1, 1, faces.images[which[i]].shape[1])
            lit = faces.images[which[i]] * ramp[None, :, None] * noise.uniform(0.8, 1.2, 3)
            return np.clip(lit, 0, 255).astype(np.uint8)

        return read

    return (reader(i) for i in range(count)), shapes


def _train_many(faces: Portraits, count: int, answer: "multiprocessing.Queue[object]") -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    images, shapes = varied(faces, count)
    clock = time.perf_counter()
    model = ActiveAppearanceModel(SIZE).fit(images, shapes)
    seconds = time.perf_counter() - clock
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answer.put((seconds, peak - before, count * model.appearance_.mean.nbytes / 2**20))


def measure_memory(faces: Portraits, count: int = MANY) -> dict[str, float]:
    """Training on many images: peak memory over the textures' own size, in a fresh process."""
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    worker = context.Process(target=_train_many, args=(faces, count, answer))
    worker.start()
    seconds, grown, textures = answer.get()
    worker.join()
    return {
        "many_images": float(count),
        "many_train_seconds": seconds,
        "many_textures_mb": textures,
        "many_peak_mb": grown,
        "many_peak_over_textures": grown / textures,
    }


def placed(shape: Floats, target: Floats) -> Pose:
    """The similarity that brings a face's pupils and nose tip to the target's."""
    a, b = (p[PLACED_BY, 0] + 1j * p[PLACED_BY, 1] for p in (shape, target))
    factor = complex(np.vdot(a - a.mean(), b - b.mean()) / np.vdot(a - a.mean(), a - a.mean()))
    return Pose(factor, complex(b.mean() - factor * a.mean()))


def edge_energy(picture: Image, points: Floats) -> float:
    """Mean squared gradient in the boxes of eyes and mouth."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY).astype(np.float32)
    energy = sum(cv2.Sobel(grey, cv2.CV_32F, *axis, scale=0.125) ** 2 for axis in ((1, 0), (0, 1)))
    boxes = []
    for region in REGIONS:
        (left, top), (right, bottom) = points[region].min(axis=0), points[region].max(axis=0)
        box = energy[int(top) - 6 : int(bottom) + 7, int(left) - 6 : int(right) + 7]
        boxes.append(float(box.mean()))
    return float(np.mean(boxes))


def measure_ghosting(
    model: ActiveAppearanceModel, fits: list[Fit], faces: Portraits, pictures: Path | None
) -> dict[str, float]:
    """k-Same-M over k-Same-Pixel on the same groups: ratio of edge energy at eyes and mouth."""
    target = Pose(95.0, complex(FRAME / 2, FRAME * 0.47)).apply(model.shape_.mean)
    poses = [placed(shape, target) for shape in faces.shapes]
    registered = [
        cv2.warpAffine(image, _matrix(pose), (FRAME, FRAME), flags=cv2.INTER_AREA).astype(float)
        for image, pose in zip(faces.images, poses, strict=True)
    ]
    codes = np.stack([fit.code for fit in fits if fit.code is not None])
    lights = [(fit.light.gain, fit.light.bias) for fit in fits if fit.light is not None]
    out = {}
    for k in (2, 5, 10, 20):
        labels = KSameM(k, random_state=0).fit(codes).labels_
        ratios, strips = [], []
        for group in range(labels.max() + 1):
            rows = np.flatnonzero(labels == group)
            code, light = (
                codes[rows].mean(axis=0),
                Light(*np.mean([lights[i] for i in rows], axis=0)),
            )
            shape = model.decode(code).shape
            pose = placed(shape, target)
            drawn = model.render(code, None, light, np.zeros((FRAME, FRAME, 3), np.uint8), pose)
            mean = np.rint(np.mean([registered[i] for i in rows], axis=0)).astype(np.uint8)
            points = np.mean([poses[i].apply(faces.shapes[i]) for i in rows], axis=0)
            ratios.append(edge_energy(drawn, pose.apply(shape)) / edge_energy(mean, points))
            strips.append(np.vstack([registered[rows[0]].astype(np.uint8), mean, drawn]))
        out[f"ghosting_ratio_k{k}"] = float(np.mean(ratios))
        if pictures is not None:
            strip = cv2.cvtColor(np.hstack(strips[:5]), cv2.COLOR_RGB2BGR)
            cv2.imwrite(str(pictures / f"ghosting_k{k}.png"), strip)
    return out


def _matrix(pose: Pose) -> Floats:
    a, b = pose.factor.real, pose.factor.imag
    return np.array([[a, -b, pose.shift.real], [b, a, pose.shift.imag]])


def measure_start(model: ActiveAppearanceModel, faces: Portraits) -> dict[str, float]:
    """Fits that begin at two eyes and a nose: distance to the detected points, per eye distance."""
    apart = []
    for image, truth in zip(faces.images, faces.shapes, strict=True):
        found = model.encode(image, start_from_some(model.shape_, PLACED_BY, truth[PLACED_BY]))
        eyes = np.linalg.norm(truth[468] - truth[473])
        apart.append(np.linalg.norm(found.shape - truth, axis=1).mean() / eyes)
    return {"london_fit_from_three_points": float(np.mean(apart))}
