from tideclock.clock import hours_to_high, is_rising


def test_high_water_is_at_the_phase():
    assert hours_to_high(3.0, 3.0) == 0


def test_water_rises_before_it_is_high():
    assert is_rising(3.0, 1.0)


def test_water_falls_after_it_was_high():
    assert not is_rising(3.0, 4.0)
