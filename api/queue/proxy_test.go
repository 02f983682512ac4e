package queue_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// mishap is what the proxy does to one upload.
type mishap string

const (
	fine             mishap = "fine"
	closedAtOnce     mishap = "closed before a byte was read"
	closedAfterHead  mishap = "closed after the head"
	resetMidway      mishap = "reset in the middle of the body"
	truncated        mishap = "body cut on its way to the service"
	lostRequest      mishap = "whole request lost"
	lostAnswer       mishap = "stored, answer lost"
	answerHeadCut    mishap = "stored, answer cut in its head"
	answerBodyCut    mishap = "stored, answer cut in its body"
	badGateway       mishap = "stored, 502 with HTML"
	gatewayTimeout   mishap = "not stored, 504"
	serverError      mishap = "not stored, 500"
	unavailableLost  mishap = "stored, 503"
	unavailable      mishap = "not stored, 503"
	tooMany          mishap = "not stored, 429 with a time to wait"
	htmlInstead      mishap = "stored, 200 with HTML"
	emptyAnswer      mishap = "stored, 200 without a body"
	garbage          mishap = "stored, an answer that is not HTTP"
	hangsMidway      mishap = "hangs in the middle of the body"
	hangsBeforeReply mishap = "stored, never answers"
)

// mishaps are all of them.
var mishaps = []mishap{
	closedAtOnce, closedAfterHead, resetMidway, truncated, lostRequest, lostAnswer, answerHeadCut,
	answerBodyCut, badGateway, gatewayTimeout, serverError, unavailableLost, unavailable, tooMany,
	htmlInstead, emptyAnswer, garbage, hangsMidway, hangsBeforeReply,
}

// proxy is between a client and a service, and lets uploads fail. It passes other requests on.
type proxy struct {
	address  string
	upstream string // host:port
	// choose returns what happens to an upload of a client, given its User-Agent.
	choose func(agent string) mishap
	// moment is called for every upload with "begin" and "stored", if it is not nil.
	moment func(when string)

	listener net.Listener
	work     sync.WaitGroup
	mu       sync.Mutex
	open     map[net.Conn]bool
	counts   map[mishap]int
}

func newProxy(t testing.TB, upstream string, choose func(string) mishap, moment func(string)) *proxy {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{
		address: "http://" + listener.Addr().String(), upstream: strings.TrimPrefix(upstream, "http://"), choose: choose, moment: moment,
		listener: listener, open: map[net.Conn]bool{}, counts: map[mishap]int{},
	}
	p.work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p.keep(conn)
			p.work.Go(func() {
				defer p.drop(conn)
				p.serve(conn)
			})
		}
	})
	t.Cleanup(p.close)
	return p
}

func (p *proxy) keep(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[conn] = true
}

func (p *proxy) drop(conn net.Conn) {
	conn.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, conn)
}

func (p *proxy) close() {
	p.listener.Close()
	p.mu.Lock()
	for conn := range p.open {
		conn.Close()
	}
	p.mu.Unlock()
	p.work.Wait()
}

// faults returns how many uploads failed, and in how many ways.
func (p *proxy) faults() (times, kinds int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for what, n := range p.counts {
		if what != fine {
			times, kinds = times+n, kinds+1
		}
	}
	return times, kinds
}

// reset closes the connection so that the peer gets a reset.
func reset(conn net.Conn) {
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

// serve handles the requests of one connection until a mishap.
func (p *proxy) serve(conn net.Conn) {
	in := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		what := fine
		if req.Method == http.MethodPost {
			what = p.choose(req.UserAgent())
			p.mu.Lock()
			p.counts[what]++
			p.mu.Unlock()
			if p.moment != nil {
				p.moment("begin")
			}
		}
		if !p.apply(conn, req, what) {
			return
		}
	}
}

// withoutService are the responses that the proxy makes itself, to requests that do not reach the service.
var withoutService = map[mishap]string{
	lostRequest:    "",
	serverError:    answer(500, `{"message":"Something went wrong on our side."}`, ""),
	gatewayTimeout: answer(504, "<html>Gateway Time-out</html>", ""),
	unavailable:    answer(503, `{"message":"Down for maintenance."}`, "Retry-After: 0\r\n"),
	tooMany:        answer(429, `{"message":"Too many requests."}`, "X-RateLimit-Limit: 1\r\nX-RateLimit-Reset: 20\r\n"),
}

// replaced are the responses in place of that of the service.
var replaced = map[mishap]string{
	badGateway:      answer(502, "<html><title>Bad gateway</title></html>", ""),
	unavailableLost: answer(503, "<html>overloaded</html>", "Retry-After: 0\r\n"),
	htmlInstead:     answer(200, "<html>Welcome to this hotel's network</html>", "Content-Type: text/html\r\n"),
	emptyAnswer:     answer(200, "", ""),
	garbage:         "\x16\x03\x01 this is no HTTP\r\n\r\n",
}

// apply applies a mishap to a request. It reports whether the connection can be used again.
func (p *proxy) apply(conn net.Conn, req *http.Request, what mishap) bool {
	switch what {
	case closedAtOnce:
		reset(conn)
		return false
	case closedAfterHead:
		conn.Close()
		return false
	}
	if req.Header.Get("Expect") != "" {
		io.WriteString(conn, "HTTP/1.1 100 Continue\r\n\r\n")
		req.Header.Del("Expect")
	}
	if p.stopMidway(conn, req, what) {
		return false
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return false
	}
	if text, ok := withoutService[what]; ok {
		return closeAfter(conn, text)
	}
	res, text, err := p.forward(req, body)
	if err != nil {
		return closeAfter(conn, answer(502, "<html>no service</html>", ""))
	}
	if p.moment != nil && req.Method == http.MethodPost {
		p.moment("stored")
	}
	if res.StatusCode != http.StatusOK {
		what = fine // a refusal is always passed on
	}
	return respond(conn, res, text, what)
}

// closeAfter writes the last text of a connection.
func closeAfter(conn net.Conn, text string) bool {
	io.WriteString(conn, text)
	conn.Close()
	return false
}

// stopMidway applies the mishaps in the middle of the body. It reports whether there was one.
func (p *proxy) stopMidway(conn net.Conn, req *http.Request, what mishap) bool {
	half := req.ContentLength / 2
	switch what {
	case resetMidway:
		io.CopyN(io.Discard, req.Body, half)
		reset(conn)
	case hangsMidway:
		io.CopyN(io.Discard, req.Body, half)
		io.Copy(io.Discard, conn) // until the client gives up
	case truncated:
		text, _ := io.ReadAll(io.LimitReader(req.Body, half))
		up, err := net.Dial("tcp", p.upstream)
		if err != nil {
			return true
		}
		defer up.Close()
		up.Write(append(p.head(req, req.ContentLength), text...))
		up.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, up)
		conn.Close()
	default:
		return false
	}
	return true
}

// respond passes the response of the service on, or applies a mishap to it.
func respond(conn net.Conn, res *http.Response, text []byte, what mishap) bool {
	var whole bytes.Buffer
	fmt.Fprintf(&whole, "HTTP/1.1 %d %s\r\nContent-Length: %d\r\n", res.StatusCode, http.StatusText(res.StatusCode), len(text))
	res.Header.Del("Content-Length")
	res.Header.Write(&whole)
	whole.WriteString("\r\n")
	head := whole.Len()
	whole.Write(text)
	switch what {
	case lostAnswer:
		reset(conn)
		return false
	case answerHeadCut:
		return closeAfter(conn, whole.String()[:head/2])
	case answerBodyCut:
		return closeAfter(conn, whole.String()[:head+len(text)/2])
	case hangsBeforeReply:
		io.Copy(io.Discard, conn)
		return false
	}
	if text, ok := replaced[what]; ok {
		return closeAfter(conn, text)
	}
	_, err := conn.Write(whole.Bytes())
	return err == nil
}

func answer(status int, text, head string) string {
	return fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Length: %d\r\n%s\r\n%s", status, http.StatusText(status), len(text), head, text)
}

// head returns the head of a request to the service.
func (p *proxy) head(req *http.Request, length int64) []byte {
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n", req.Method, req.URL.RequestURI(), p.upstream, length)
	req.Header.Write(&head)
	head.WriteString("\r\n")
	return head.Bytes()
}

// forward sends a request to the service.
func (p *proxy) forward(req *http.Request, body []byte) (*http.Response, []byte, error) {
	conn, err := net.DialTimeout("tcp", p.upstream, 5*time.Second)
	if err != nil {
		return nil, nil, err
	}
	defer conn.Close()
	if _, err := conn.Write(append(p.head(req, int64(len(body))), body...)); err != nil {
		return nil, nil, err
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return res, text, err
}

// chance chooses a mishap with that chance, in a sequence given by the seed.
func chance(chance float64, seed uint64, from []mishap) func(string) mishap {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(seed, 1))
	return func(string) mishap {
		mu.Lock()
		defer mu.Unlock()
		if r.Float64() >= chance {
			return fine
		}
		return from[r.IntN(len(from))]
	}
}
