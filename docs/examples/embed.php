<?php
// TOKEN is your secret token. PHP 8.0 or newer: php embed.php
const SERVICE = 'https://cloche.example.com';
const SITE = 'https://shop.example';

function api(string $path, string $body, string $type = 'application/json'): string
{
    $headers = ['Authorization: Bearer ' . getenv('TOKEN'), "Content-Type: $type"];
    $http = ['method' => 'POST', 'header' => $headers, 'content' => $body];
    $response = file_get_contents(SERVICE . $path, false, stream_context_create(['http' => $http]));
    if ($response === false) {
        exit(1);
    }
    return $response;
}

// 1. Upload a file. The response has the URI of the design.
$upload = api('/v1/designs?name=Oak%20chair', file_get_contents('chair.glb'), 'application/octet-stream');
$uri = json_decode($upload, true)['uri'];

// 2. Get its HTML, with a placeholder for a token.
$html = api('/embed/iframe/v1', json_encode(['uri' => $uri]));

// 3. Create a token that can only embed, and only on your site.
$request = ['capabilities' => ['embed'], 'origins' => [SITE], 'type' => 'api', 'user' => '~'];
$token = json_decode(api('/v1/tokens', json_encode($request)), true)['token'];

// 4. Replace the placeholder. Paste the result into a page of your site.
echo str_replace('CLOCHE_EMBED_TOKEN', $token, $html), "\n";
