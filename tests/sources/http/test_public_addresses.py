import subprocess
import sys
from pathlib import Path

from sources.http.public_addresses import is_loopback, is_public
from tests.matrices import for_each


@for_each(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255",
        "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "100::1", "2001:db8::1",
        "3fff::1", "5f00::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:7f00:1",
        "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::808:808", "2002:7f00:1::", "2002:808:808::1",
        "2001:0:7f00:1::1", "2001:20::1", "2606:4700::1111%3", "localhost", "", "127.1", "1.2.3",
    ],
)  # fmt: skip
def test_an_address_off_the_public_internet_is_refused(address):
    assert not is_public(address)


@for_each("address", ["8.8.8.8", "185.199.108.133", "2606:50c0:8000::154", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_an_address_on_the_public_internet_is_allowed(address):
    assert is_public(address)
    assert not is_loopback(address)


def test_loopback_is_known_in_both_families():
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert not is_loopback("localhost")


def test_every_spelling_of_a_number_comes_out_as_the_address_it_is():
    spellings = ["127.0.0.1", "2130706433", "0x7f.1", "127.1", "0177.0.0.1"]
    code = "import sys; from sources.http.public_addresses import resolve\n"
    code += "print(*(resolve(host, 443) for host in sys.argv[1:]))"
    done = subprocess.run(  # a process of its own: the guard over the tests' network takes such numbers for names
        [sys.executable, "-c", code, *spellings],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert done.stdout.split() == ["['127.0.0.1']"] * len(spellings)
