"""A small Streamlit app: what is saved is written to the file that the runner reads."""

import json
import os

import streamlit as st

st.title("Meeting room")
name = st.text_input("Name")
room = st.selectbox("Room", ["Oslo", "Paris", "Quito"])
people = st.slider("People", 1, 20, 4)
coffee = st.checkbox("Coffee")
if st.button("Reserve"):
    with open(os.environ["CORPUS_STATE"], "w") as file:
        json.dump({"name": name, "room": room, "people": people, "coffee": coffee}, file)
    st.success(f"Reserved {room} for {name}")
