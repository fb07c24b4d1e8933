module warploom/go/predict

go 1.21

require warploom/go/warploom v0.0.0

replace warploom/go/warploom => ../warploom
