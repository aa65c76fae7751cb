"""axe-core finds nothing to complain about, in any view."""

import pytest
from browsing import open_page

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow


def _checking(page):
    """Fails with whatever axe complains about in the view that is shown."""
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()

    def check(what):
        page.wait_for_timeout(250)
        found = [
            (one["id"], [node["html"][:120] for node in one["nodes"][:3]])
            for one in axe.run(page)["violations"]
        ]
        assert found == [], (what, found)

    return check


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_about(page, start, plan, scheme):
    check = _checking(page)
    page.emulate_media(color_scheme=scheme)
    open_page(page, start(plan))

    check("people")
    page.locator(".face").first.click()
    check("a selection")
    page.locator("#effect summary").click()
    check("the effect")
    page.locator("#effect summary").click()
    page.get_by_label("Merge p002 with somebody").click()
    check("choosing a person")
    page.keyboard.press("Escape")
    page.get_by_label("Looks of p002").click()
    check("looks")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    check("photos")
    page.locator(".shot").first.click()
    page.locator("#draw").click()
    check("a photo")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    check("questions")
    page.keyboard.press("?")
    check("keys")
    page.keyboard.press("Escape")
    page.locator("#release").click()
    check("release")
    if scheme == "light":
        page.locator("#go").click()
        page.wait_for_selector("#slider", timeout=60000)
        check("the last screen")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 420)])
def test_axe_finds_nothing_in_the_view_of_a_clip(page, start, with_clip, scheme, width):
    check = _checking(page)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    open_page(page, start(with_clip))
    page.keyboard.press("3")
    check("photos with a clip")
    page.get_by_label("party.mp4").click()
    page.wait_for_selector("#canvas[data-frame]", timeout=60000)
    check("a clip")
    page.locator(".track > button").first.click()
    check("a track")
    page.keyboard.press("d")
    page.wait_for_selector("#new")
    check("drawing")
    page.keyboard.press("Enter")
    page.wait_for_selector("#make")
    check("naming frames")
    page.keyboard.press("Enter")  # the button has the focus: a keyboard suffices
    page.wait_for_selector("text=drawn by you", timeout=60000)
    check("a drawn track")
