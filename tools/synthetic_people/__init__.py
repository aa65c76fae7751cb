"""Photos of people who do not exist, rendered from CC0 head morphs with NumPy, Numba and OpenCV.

The one-way flow of a photo: `assets` (wheel to mesh) -> `person` (a seed to traits) ->
`shape` (traits to a head) -> `strands`, `hair`, `facial_hair` (roots to strands) ->
`photo` (camera, `lights`, `raster`, `skin`, `eyes`, `surfaces`, `develop`) -> JPEG and landmarks.
"""
