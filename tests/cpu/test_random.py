"""cuRAND's device generators on the CPU target.

The numbers were printed by cuRAND 10.4's own header, compiled for the host: eight words, then
uniform, normal, normal and uniform double. Floats may differ in the last places, as between
maths libraries.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Exe

REFERENCE = [
    (
        "0 0 0",
        "xorwow",
        "3179217846 1883133293 2220552389 674260989 306521119 1986458431 977720403 1414583917",
        "0.144065306 -0.927174926 1.57642365 0.974661112",
    ),
    (
        "0 0 0",
        "philox",
        "1713891541 3781805453 3159862348 2600524760 4175744164 1555169499 2980410603 159317863",
        "0.0194494221 1.16975224 0.956041455 0.271746993",
    ),
    (
        "1234 7 3",
        "xorwow",
        "324612358 2988894868 2223688508 906701663 1924992985 1459886507 3353540823 1869013896",
        "0.114403613 0.522044659 -0.0820542127 0.880768538",
    ),
    (
        "1234 7 3",
        "philox",
        "502001991 843890362 2897886456 3571722420 296027329 3990533219 711373462 3601287622",
        "0.359928757 -0.452971071 -0.155342072 0.0902379975",
    ),
    (
        "99999999999 123456789 1000000007",
        "xorwow",
        "1079205003 1970510089 2612162355 1888927690 1331447562 147385384 2408276639 1592644833",
        "0.864012778 0.591045201 1.13303971 0.102910846",
    ),
    (
        "99999999999 123456789 1000000007",
        "philox",
        "688752375 3731252192 2453773238 380212902 937886388 3177741893 3372706633 1120805370",
        "0.861659288 0.952256322 0.400800347 0.774786651",
    ),
    (
        "0 0 0",
        "mrg",
        "545508615 1368065476 1327943825 3546985268 951893240 2290915747 2064909480 1527118054",
        "0.135988414 -0.342004538 -0.665471077 0.410064101",
    ),
    (
        "1234 7 3",
        "mrg",
        "1969104259 1035914143 885815260 4192688416 2559931890 3701172847 27202704 1592717158",
        "0.797774017 1.1490432 0.047075402 0.692062855",
    ),
    (
        "99999999999 123456789 1000000007",
        "mrg",
        "275243711 1368122652 3587181453 424774928 2405911107 518403887 3259447139 4161783024",
        "0.00421221461 0.285503805 -1.95676029 0.0219027773",
    ),
]


@pytest.fixture(scope="module")
def program(build: Callable[..., Exe]) -> Exe:
    return build("random.cu")


@pytest.mark.parametrize(("start", "name", "words", "reals"), REFERENCE)
def test_sequence(program: Exe, start: str, name: str, words: str, reals: str) -> None:
    ran = program.run(*start.split())
    assert ran.code == 0, ran.err
    got = next(line.split()[1:] for line in ran.out.splitlines() if line.startswith(name))
    assert got[:8] == words.split()
    wanted = [float(v) for v in reals.split()]
    assert [float(v) for v in got[8:]] == pytest.approx(wanted, rel=2e-6)
