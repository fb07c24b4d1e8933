// One product on one GPU, and what a decode step of a model takes with more and more requests.
package main

import (
	"fmt"
	"log"

	"warploom/go/warploom"
)

func main() {
	session, err := warploom.Open("")
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	var product struct {
		P50us float64 `json:"p50_us"`
		Bound string  `json:"bound"`
		Tier  string  `json:"tier"`
	}
	err = session.Answer("predict", map[string]any{
		"gpu": "H100-SXM", "family": "gemm", "m": 64, "n": 4096, "k": 4096}, &product)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Warploom %s: %.2f us, limited by %s, %s\n", warploom.Version(), product.P50us, product.Bound,
		product.Tier)
	step, err := session.OpenStep(map[string]any{"model": "Llama-3.1-8B", "gpu": "H100-SXM"})
	if err != nil {
		log.Fatal(err)
	}
	defer step.Close()
	for _, requests := range []int64{1, 8, 64, 256} {
		price, err := step.Decode(requests, 1000)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%3d requests decode in %.2f ms\n", requests, price.Time().Seconds()*1000)
	}
}
