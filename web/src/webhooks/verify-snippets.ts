/** How receivers verify webhooks. docs/webhooks.md contains the same code, and tests run it. */

export const verifyNode = `import { Webhook } from "standardwebhooks"; // npm install standardwebhooks

// body: the request's body as text, unchanged; headers: its headers
const event = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers); // throws unless it is genuine and recent
console.log(event.type, event.data);`;

export const verifyPython = `import base64, hmac, os, time

# body: the request's body as bytes, unchanged; headers: its headers, with names in lower case
key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
expected = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
genuine = any(hmac.compare_digest(expected, one) for one in headers["webhook-signature"].split(" "))
if not genuine or abs(time.time() - int(headers["webhook-timestamp"])) > 300:
    raise ValueError("The webhook is forged or too old.")`;

export const verifyPhp = `<?php
$body = file_get_contents('php://input');
$key = base64_decode(substr(getenv('WEBHOOK_SECRET'), 6)); // without "whsec_"
$signed = $_SERVER['HTTP_WEBHOOK_ID'] . '.' . $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] . '.' . $body;
$expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
$genuine = array_filter(explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE']), fn ($one) => hash_equals($expected, $one));
if (!$genuine || abs(time() - (int) $_SERVER['HTTP_WEBHOOK_TIMESTAMP']) > 300) {
    http_response_code(400);
    exit;
}`;
