"""Ad hoc methods on the faces of photos, for comparison: they give no guarantee (N section 2)."""

AD_HOC_NAMES: tuple[str, ...] = (
    "blackout",
    "average",
    "random-one",
    "bar",
    "t-mask",
    "mouth",
    "pixelate",
    "blur",
    "negative",
    "potato",
    "noise",
    "ordinal",
    "threshold",
)
