package outbound_test

import (
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wheelwright.dev/wheelwright/agent/outbound"
)

// get fetches an address with a client of these options.
func get(t *testing.T, options outbound.Options, address string) error {
	t.Helper()
	client, err := outbound.NewClient(options)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

func everywhere(string) bool { return true }

func TestRequestsGoWhereTheyMayAndNowhereElse(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	defer plain.Close()
	target := plain.URL
	encrypted := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/away" {
			http.Redirect(w, request, target, http.StatusFound)
		}
	}))
	defer encrypted.Close()
	host := plain.Listener.Addr().String()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: encrypted.Certificate().Raw})
	for name, test := range map[string]struct {
		options outbound.Options
		address string
		want    string // in the error; empty means none
	}{
		"plain, allowed everywhere":   {outbound.Options{PlainHTTP: everywhere}, plain.URL, ""},
		"plain, allowed for the host": {outbound.Options{PlainHTTP: func(asked string) bool { return asked == host }}, plain.URL, ""},
		"plain, allowed for another":  {outbound.Options{PlainHTTP: func(string) bool { return false }}, plain.URL, "plain http://"},
		"plain, never allowed":        {outbound.Options{}, plain.URL, "plain http://"},
		"a file":                      {outbound.Options{PlainHTTP: everywhere}, "file:///etc/passwd", `scheme "file"`},
		"an unknown authority":        {outbound.Options{}, encrypted.URL, "certificate"},
		"a known authority":           {outbound.Options{CA: authority}, encrypted.URL, ""},
		"no authority":                {outbound.Options{CA: []byte("x")}, encrypted.URL, "no certificate"},
		"any authority":               {outbound.Options{SkipVerify: true}, encrypted.URL, ""},
		"a redirect out of TLS": {
			outbound.Options{SkipVerify: true, PlainHTTP: everywhere}, encrypted.URL + "/away", "from https://",
		},
		"credentials of the machine":   {outbound.Options{PlainHTTP: everywhere}, "http://169.254.169.254/", "link-local"},
		"the same in another notation": {outbound.Options{PlainHTTP: everywhere}, "http://[::ffff:a9fe:a9fe]/", "link-local"},
		"the same over IPv6":           {outbound.Options{PlainHTTP: everywhere}, "http://[fd00:ec2::254]/", "link-local"},
		"a neighbour on the link":      {outbound.Options{PlainHTTP: everywhere}, "http://[fe80::1%25lo]/", "link-local"},
	} {
		t.Run(name, func(t *testing.T) {
			err := get(t, test.options, test.address)
			if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
		})
	}
}

func TestNoMoreIsReadThanIsAllowed(t *testing.T) {
	if content, err := outbound.ReadAll(strings.NewReader("12345"), 5); err != nil || string(content) != "12345" {
		t.Errorf("it reads %q, %v", content, err)
	}
	if _, err := outbound.ReadAll(strings.NewReader("123456"), 5); !errors.Is(err, outbound.ErrTooLarge) {
		t.Errorf("the error is %v, want %v", err, outbound.ErrTooLarge)
	}
}
