module warploom/go/warploom

go 1.21
