import json

from ksame.states import POSES, State


def test_a_state_is_a_pose_in_colour_or_without():
    assert {(state.pose, state.grey) for state in State} == {
        (pose, grey) for pose in POSES for grey in (False, True)
    }
    for state in State:
        assert state.without_colour.grey
        assert state.without_colour.pose is state.pose
        assert state.pose.pose is state.pose


def test_ledgers_hold_its_text():
    written = json.dumps({State.GREY_SMILE: State.GREY_SMILE})
    assert written == '{"grey smile": "grey smile"}'
    assert State(json.loads(written)["grey smile"]) is State.GREY_SMILE
