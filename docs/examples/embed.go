// TOKEN is your secret token. Go 1.19 or newer: go run embed.go
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

const service = "https://cloche.example.com"
const site = "https://shop.example"

func api(path string, body []byte, contentType string) []byte {
	request, err := http.NewRequest("POST", service+path, bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	request.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 400 {
		log.Fatal(err, string(text))
	}
	return text
}

func main() {
	// 1. Upload a file. The response has the URI of the design.
	file, err := os.ReadFile("chair.glb")
	if err != nil {
		log.Fatal(err)
	}
	var design struct{ URI string }
	upload := api("/v1/designs?name=Oak%20chair", file, "application/octet-stream")
	if err := json.Unmarshal(upload, &design); err != nil {
		log.Fatal(err)
	}

	// 2. Get its HTML, with a placeholder for a token.
	body, _ := json.Marshal(map[string]string{"uri": design.URI})
	html := string(api("/embed/iframe/v1", body, "application/json"))

	// 3. Create a token that can only embed, and only on your site.
	body, _ = json.Marshal(map[string]any{
		"capabilities": []string{"embed"}, "origins": []string{site}, "type": "api", "user": "~",
	})
	var created struct{ Token string }
	if err := json.Unmarshal(api("/v1/tokens", body, "application/json"), &created); err != nil {
		log.Fatal(err)
	}

	// 4. Replace the placeholder. Paste the result into a page of your site.
	fmt.Println(strings.Replace(html, "CLOCHE_EMBED_TOKEN", created.Token, 1))
}
