# TOKEN is your secret token. Python 3.8 or newer: python3 embed.py
import json
import os
import urllib.request

SERVICE = "https://cloche.example.com"
SITE = "https://shop.example"


def api(path, body, content_type="application/json"):
    headers = {"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": content_type}
    request = urllib.request.Request(SERVICE + path, body, headers)
    with urllib.request.urlopen(request) as response:
        return response.read().decode()


# 1. Upload a file. The response has the URI of the design.
with open("chair.glb", "rb") as file:
    upload = api("/v1/designs?name=Oak%20chair", file.read(), "application/octet-stream")
uri = json.loads(upload)["uri"]

# 2. Get its HTML, with a placeholder for a token.
html = api("/embed/iframe/v1", json.dumps({"uri": uri}).encode())

# 3. Create a token that can only embed, and only on your site.
request = {"capabilities": ["embed"], "origins": [SITE], "type": "api", "user": "~"}
token = json.loads(api("/v1/tokens", json.dumps(request).encode()))["token"]

# 4. Replace the placeholder. Paste the result into a page of your site.
print(html.replace("CLOCHE_EMBED_TOKEN", token))
