"""A small Gradio app: what is submitted is written to the file that the runner reads."""

import json
import os

import gradio as gr


def save(text, tone, length, formal):
    with open(os.environ["CORPUS_STATE"], "w") as file:
        json.dump({"text": text, "tone": tone, "length": length, "formal": formal}, file)
    return f"Saved: {text}"


with gr.Blocks(title="Rewriter") as app:
    gr.Markdown("# Rewriter")
    text = gr.Textbox(label="Text")
    tone = gr.Dropdown(["Neutral", "Friendly", "Strict"], label="Tone", value="Neutral")
    length = gr.Slider(1, 10, value=3, step=1, label="Length")
    formal = gr.Checkbox(label="Formal")
    out = gr.Textbox(label="Answer", interactive=False)
    gr.Button("Rewrite", elem_id="rewrite").click(save, [text, tone, length, formal], out)

app.launch(server_name="127.0.0.1", server_port=int(os.environ["CORPUS_PORT"]), quiet=True)
