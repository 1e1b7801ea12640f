"""Verifies messages from standard input, one JSON object a line, and prints the verdict on each."""

import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

for line in sys.stdin:
    message = json.loads(line)
    try:
        Webhook(message["secret"]).verify(message["body"], message["headers"])
        print("accepted")
    except WebhookVerificationError:
        print("refused")
