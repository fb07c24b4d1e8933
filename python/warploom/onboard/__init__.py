"""An engine's steps on this machine by the model's configuration alone, with random weights.

python -m warploom.onboard --engine vllm --model CONFIG --out FOLDER. See docs/recording.md."""
