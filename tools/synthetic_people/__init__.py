"""Photos of people who do not exist, rendered from CC0 head morphs with NumPy, Numba and OpenCV.

The one-way flow of a photo: `assets` (wheel to mesh) -> `person` (a seed to traits) ->
`shape`, `hair`, `facial_hair` (traits to vertices and strands) -> `scene` (dressed and posed) ->
`photo` (`lights`, `raster`, `materials`, `develop`) -> JPEG and landmarks.
"""
