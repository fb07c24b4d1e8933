"""Low-rank adapters of random weights for a model of Llama's kind, as PEFT writes them."""

import json
import os


def layer_products(config):
    """{module: (outputs, inputs)} of one layer, by the names of Llama's and Qwen's checkpoints."""
    hidden, width, heads = (
        config[name] for name in ("hidden_size", "intermediate_size", "num_attention_heads")
    )
    size = config.get("head_dim") or hidden // heads
    queries, keys = heads * size, (config.get("num_key_value_heads") or heads) * size
    attention = {"q_proj": (queries, hidden), "k_proj": (keys, hidden), "v_proj": (keys, hidden),
                 "o_proj": (hidden, queries)}
    forward = {"gate_proj": (width, hidden), "up_proj": (width, hidden), "down_proj": (hidden, width)}
    return {f"self_attn.{name}": sizes for name, sizes in attention.items()} | {
        f"mlp.{name}": sizes for name, sizes in forward.items()
    }


def write_adapters(folder, config, count, rank):
    """Folders of `count` adapters of that rank, on every product of every layer."""
    import torch
    from safetensors.torch import save_file

    products, paths = layer_products(config), []
    for k in range(count):
        torch.manual_seed(k)
        path = os.path.join(folder, f"adapter_{k + 1}")
        os.makedirs(path, exist_ok=True)
        weights = {}
        for layer in range(config["num_hidden_layers"]):
            for module, (outputs, inputs) in products.items():
                name = f"base_model.model.model.layers.{layer}.{module}"
                for part, shape in (("A", (rank, inputs)), ("B", (outputs, rank))):
                    weights[f"{name}.lora_{part}.weight"] = torch.randn(*shape, dtype=torch.bfloat16) * 0.01
        save_file(weights, os.path.join(path, "adapter_model.safetensors"))
        said = dict(peft_type="LORA", task_type="CAUSAL_LM", r=rank, lora_alpha=rank, lora_dropout=0.0,
                    bias="none", target_modules=[module.rsplit(".", 1)[1] for module in products])
        with open(os.path.join(path, "adapter_config.json"), "w") as file:
            json.dump(said, file)
        paths.append(path)
    return paths
