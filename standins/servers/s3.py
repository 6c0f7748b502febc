"""An S3 for tests: moto's server, in a process of its own on loopback."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.request
from functools import cached_property
from typing import Any

from standins.servers.postgres import free_port

BUCKET = "lakes"
_WAIT_S = 60


class S3Server:
    """A running server with one bucket. It takes any keys, until `ask_for_keys`."""

    def __init__(self) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        port = self.url.rpartition(":")[2]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", port],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait()
        self.client.create_bucket(Bucket=BUCKET)

    @property
    def pid(self) -> int:
        """Returns the identifier of its process."""
        return self._process.pid

    @property
    def env(self) -> dict[str, str]:
        """Returns the variables by which AWS's tools, and paperlake, find it."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "AKIAPAPERLAKE",
            "AWS_SECRET_ACCESS_KEY": "s3cr3t/of+the=store",
            "AWS_REGION": "us-east-1",
        }

    @cached_property
    def client(self) -> Any:
        """Returns Amazon's own client, to look at the bucket with."""
        import boto3

        return boto3.client(
            "s3",
            endpoint_url=self.url,
            aws_access_key_id=self.env["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=self.env["AWS_SECRET_ACCESS_KEY"],
            region_name=self.env["AWS_REGION"],
        )

    def keys(self, prefix: str) -> list[str]:
        """Returns the names of the objects under `prefix`, in order."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        return sorted(entry["Key"] for page in pages for entry in page.get("Contents", ()))

    def body(self, key: str) -> bytes:
        """Returns what an object holds."""
        return self.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()

    def copy(self, prefix: str, other: str) -> None:
        """Copies every object under `prefix` to `other`."""
        for key in self.keys(prefix):
            source = {"Bucket": BUCKET, "Key": key}
            self.client.copy_object(Bucket=BUCKET, Key=other + key.removeprefix(prefix), CopySource=source)

    def ask_for_keys(self, *, strict: bool = True) -> None:
        """Lets the server refuse keys and signatures that it does not know, as Amazon's does; or any no longer."""
        body = b"0" if strict else b"inf"
        plain = {"Content-Type": "text/plain"}
        request = urllib.request.Request(f"{self.url}/moto-api/reset-auth", data=body, headers=plain)
        urllib.request.urlopen(request, timeout=30).close()

    def stop(self) -> None:
        """Ends the server."""
        self._process.kill()
        self._process.wait(30)

    def _wait(self) -> None:
        end = time.monotonic() + _WAIT_S
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/moto-api/", timeout=5).close()
            except OSError:
                if time.monotonic() > end or self._process.poll() is not None:
                    raise
                time.sleep(0.1)
            else:
                return
