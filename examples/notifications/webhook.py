"""Makes two automations on your Prefect server that call a webhook, the Prefect way.

    export PREFECT_API_URL=http://127.0.0.1:4200/api
    python examples/notifications/webhook.py https://hooks.example.org/T000/B000

One calls when a refresh fails, crashes, or ends with something that could not be asked; the other when citations
jumped. What is sent is JSON with one field, `text`, which Slack, Mattermost and others take as a message. Run it again
to change the address. Prefect's own notification blocks (e-mail, Teams, PagerDuty ...) work the same way, with
`SendNotification` for `CallWebhook`: https://docs.prefect.io/v3/concepts/automations
"""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

from prefect.automations import Automation
from prefect.blocks.webhook import Webhook
from prefect.events.actions import CallWebhook
from prefect.events.schemas.automations import EventTrigger, Posture
from prefect.exceptions import ObjectNotFound

FAILURE = """
{% set told = flow_run.name ~ " ended as " ~ flow_run.state.name ~ ": " ~ flow_run.state.message %}
{"text": {{ ("paperlake: " ~ told) | tojson }}}
"""
JUMP = """
{"text": {{ ("paperlake: citations jumped: " ~ event.payload.papers | join("; ")) | tojson }}}
"""


def main() -> None:
    """Saves the address as a block, and the two automations that call it."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    failed = _webhook("paperlake-failure", sys.argv[1])
    jumped = _webhook("paperlake-jump", sys.argv[1])
    states = ("Failed", "Crashed", "TimedOut", "CompletedWithFailures")
    _automation(
        "paperlake: a refresh failed",
        EventTrigger(
            expect={f"prefect.flow-run.{state}" for state in states},
            match_related={"prefect.resource.role": "flow", "prefect.resource.name": "refresh"},
            posture=Posture.Reactive,
            threshold=1,
            within=timedelta(0),
        ),
        CallWebhook(block_document_id=failed, payload=FAILURE),
    )
    _automation(
        "paperlake: citations jumped",
        EventTrigger(expect={"paperlake.papers.jumped"}, posture=Posture.Reactive, threshold=1, within=timedelta(0)),
        CallWebhook(block_document_id=jumped, payload=JUMP),
    )
    sys.stdout.write("two automations are on: see them with `prefect automation ls`\n")


def _webhook(name: str, address: str) -> UUID:
    saved: UUID = Webhook(url=address).save(name, overwrite=True)
    return saved


def _automation(name: str, trigger: EventTrigger, action: CallWebhook) -> None:
    with suppress(ObjectNotFound, ValueError):  # there is none yet
        Automation.read(name=name).delete()
    Automation(name=name, trigger=trigger, actions=[action]).create()


if __name__ == "__main__":
    main()
