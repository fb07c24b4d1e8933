// Package warploom asks the C interface of Warploom: how long GPU kernels, steps of language models and serving
// runs take. The environment says where its header and library are: CGO_CFLAGS, CGO_LDFLAGS (see ../README.md).
package warploom

/*
#include <stdlib.h>
#include "warploom/capi/warploom.h"
*/
import "C"

import (
	"encoding/json"
	"errors"
	"runtime"
	"time"
	"unsafe"
)

const messageSize = 1024

// call runs one function of the library, which writes its error into the message.
func call(work func(message *C.char, size C.size_t) C.warploom_status) error {
	message := (*C.char)(C.malloc(messageSize))
	defer C.free(unsafe.Pointer(message))
	if work(message, messageSize) == C.WARPLOOM_OK {
		return nil
	}
	return errors.New(C.GoString(message))
}

// fieldsOf is the JSON of a request's fields.
func fieldsOf(fields any) (*C.char, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return C.CString(string(text)), nil
}

// Version of the library.
func Version() string { return C.GoString(C.warploom_version()) }

// Session is an open predictor. It may be used by any number of goroutines.
type Session struct{ handle *C.warploom_session }

// Open opens a predictor: a folder that `warploom train` wrote, "roofline", or "" for the one in the library.
func Open(predictor string) (*Session, error) {
	name := C.CString(predictor)
	defer C.free(unsafe.Pointer(name))
	session := &Session{}
	err := call(func(message *C.char, size C.size_t) C.warploom_status {
		return C.warploom_open(name, &session.handle, message, size)
	})
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(session, (*Session).Close)
	return session, nil
}

// Close ends the session; steps that it opened stay usable.
func (s *Session) Close() {
	C.warploom_close(s.handle)
	runtime.SetFinalizer(s, nil)
}

// Answer fills `answer` with what the command `request` prints with --json; `fields` are the request's
// (`warploom schema REQUEST`).
func (s *Session) Answer(request string, fields any, answer any) error {
	given, err := fieldsOf(fields)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(given))
	name := C.CString(request)
	defer C.free(unsafe.Pointer(name))
	var text *C.char
	err = call(func(message *C.char, size C.size_t) C.warploom_status {
		return C.warploom_answer(s.handle, name, given, nil, &text, message, size)
	})
	runtime.KeepAlive(s)
	if err != nil {
		return err
	}
	defer C.warploom_free_text(text)
	return json.Unmarshal([]byte(C.GoString(text)), answer)
}

// Price of a step.
type Price struct {
	P10, P50, P90 time.Duration // on the GPU
	Host          time.Duration // that the engine adds to P50 when such steps follow each other
}

// Time of the whole step.
func (p Price) Time() time.Duration { return p.P50 + p.Host }

// Prompt is a part of a prompt in a step: new tokens, after so many in the cache.
type Prompt struct{ Tokens, Context int64 }

// Step prices one forward pass after another. It belongs to one goroutine at a time.
type Step struct {
	handle  *C.warploom_step
	prompts []C.warploom_prompt
}

// OpenStep opens the steps of a model on a GPU under an engine; `setup` holds "model", "gpu" and the engine's
// fields.
func (s *Session) OpenStep(setup any) (*Step, error) {
	given, err := fieldsOf(setup)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(given))
	step := &Step{}
	err = call(func(message *C.char, size C.size_t) C.warploom_status {
		return C.warploom_step_open(s.handle, given, &step.handle, message, size)
	})
	runtime.KeepAlive(s)
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(step, (*Step).Close)
	return step, nil
}

// Close ends the step.
func (s *Step) Close() {
	C.warploom_step_close(s.handle)
	runtime.SetFinalizer(s, nil)
}

// Mixed is a step of decoding requests, by the tokens that each has in the cache, and of parts of prompts.
func (s *Step) Mixed(contexts []int64, prompts []Prompt) (Price, error) {
	s.prompts = s.prompts[:0]
	for _, prompt := range prompts {
		s.prompts = append(s.prompts, C.warploom_prompt{
			tokens: C.int64_t(prompt.Tokens), context: C.int64_t(prompt.Context)})
	}
	var price C.warploom_step_price
	err := call(func(message *C.char, size C.size_t) C.warploom_status {
		return C.warploom_step_mixed(s.handle, (*C.int64_t)(unsafe.SliceData(contexts)), C.size_t(len(contexts)),
			unsafe.SliceData(s.prompts), C.size_t(len(prompts)), &price, message, size)
	})
	runtime.KeepAlive(s)
	if err != nil {
		return Price{}, err
	}
	return Price{duration(price.p10_us), duration(price.p50_us), duration(price.p90_us),
		duration(price.host_us)}, nil
}

// Decode is a step of `requests` that each add a token to `context` in the cache.
func (s *Step) Decode(requests, context int64) (Price, error) {
	var price C.warploom_step_price
	err := call(func(message *C.char, size C.size_t) C.warploom_status {
		return C.warploom_step_decode(s.handle, C.int64_t(requests), C.int64_t(context), &price, message, size)
	})
	runtime.KeepAlive(s)
	if err != nil {
		return Price{}, err
	}
	return Price{duration(price.p10_us), duration(price.p50_us), duration(price.p90_us),
		duration(price.host_us)}, nil
}

func duration(us C.double) time.Duration {
	return time.Duration(float64(us) * float64(time.Microsecond))
}
