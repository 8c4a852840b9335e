# TOKEN is your secret token. Needs a POSIX shell, curl and sed.
set -eu
SERVICE=https://cloche.example.com
SITE=https://shop.example
api() { path=$1; shift; curl -sS --fail-with-body "$SERVICE$path" -H "Authorization: Bearer $TOKEN" "$@"; }

# 1. Upload a file. The response has the URI of the design.
URI=$(api "/v1/designs?name=Oak%20chair" -H "Content-Type: application/octet-stream" --data-binary @chair.glb |
  sed 's/.*"uri":"\([^"]*\)".*/\1/')

# 2. Get its HTML, with a placeholder for a token.
HTML=$(api /embed/iframe/v1 -H "Content-Type: application/json" -d "{\"uri\":\"$URI\"}")

# 3. Create a token that can only embed, and only on your site.
PUBLIC_TOKEN=$(api /v1/tokens -H "Content-Type: application/json" \
  -d "{\"capabilities\":[\"embed\"],\"origins\":[\"$SITE\"],\"type\":\"api\",\"user\":\"~\"}" |
  sed 's/.*"token":"\([^"]*\)".*/\1/')

# 4. Replace the placeholder. Paste the result into a page of your site.
printf '%s\n' "$HTML" | sed "s/CLOCHE_EMBED_TOKEN/$PUBLIC_TOKEN/"
