"""Who shares a look of a group and is not seen with it in the release."""

from collections import defaultdict

from ksame.release.expressions import shown_as
from ksame.release.find import Album
from ksame.release.name import People, faces_of_people
from ksame.release.share import Shared
from ksame.release.write import WrittenPhotos


def unseen_looks(
    album: Album, people: People, shared: Shared, written: WrittenPhotos
) -> dict[int, dict[str, set[str]]]:
    """Per group and look, who has a photo with it that is not released."""
    group_of, released = shared.group_of(), written.released()
    unseen: dict[int, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for person, spots in faces_of_people(album, people).items():
        if (g := group_of.get(person)) is None:
            continue
        looks = shared.faces[g].told.get("looks", {})
        for spot in spots:
            if spot[0] not in released:
                unseen[g][shown_as(album.state(spot), looks)].add(person)
    return unseen
