# syntax=docker/dockerfile:1
# The images of compose.yaml: `router` and `agent` hold one program each, and neither holds the other's.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo build --release --locked --package agent --package router \
    && install -D --target-directory=/out target/release/start_agent target/release/start_router

FROM debian:12.9-slim AS base
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/*
ENV SAFECLAW_HOME=/data

FROM base AS router
ARG UID=1000
ARG GID=1000
# What skills in Python are run with; those in shell and in Rust need nothing.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3-minimal \
    && rm -rf /var/lib/apt/lists/*
# A new volume takes over the owner of the folder that it covers.
RUN install -d -m 700 -o $UID -g $GID /data /data/router /data/router/skills
COPY --from=build /out/start_router /usr/local/bin/
USER $UID:$GID
ENTRYPOINT ["start_router"]

FROM base AS agent
ARG UID=1000
ARG GID=1000
RUN install -d -m 700 -o $UID -g $GID /data /data/agent /data/workspace
COPY --from=build /out/start_agent /usr/local/bin/
USER $UID:$GID
ENTRYPOINT ["start_agent"]

FROM ollama/ollama:0.6.2 AS ollama
ARG UID=1000
ARG GID=1000
RUN install -d -m 700 -o $UID -g $GID /models
# Its key and its models go to the volume; the image's own home belongs to root.
ENV HOME=/models OLLAMA_MODELS=/models
USER $UID:$GID
