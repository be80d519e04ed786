# The image of every part of Allclose but the boxes (sandbox/images/Dockerfile): docker-compose.yml builds both.
# BASE is any system with glibc, Python 3.11 or later with venv, and a user database. PIP_EXTRA_INDEX_URL is handed to pip.
# Wheels that deploy/container/wheels.sh has collected are used where they are; otherwise pip fetches what is needed.
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS environment
ARG PIP_EXTRA_INDEX_URL
COPY deploy/container/install.sh deploy/container/requirements.py pyproject.toml build/wheels/ap[p] /wheels/
RUN /wheels/install.sh requirements
COPY pyproject.toml README.md LICENSE allclose.py /source/
COPY migrations /source/migrations
COPY sandbox /source/sandbox
COPY app /source/app
COPY docs /source/docs
RUN /wheels/install.sh project

FROM ${BASE} AS service
# Volumes begin with these folders and their owners. /engine is the socket proxy's, which runs as root without rights.
RUN useradd --uid 10001 --user-group --home-dir /data --shell /usr/sbin/nologin allclose \
    && install -d -o allclose -g allclose -m 0700 /data /secrets /proxy \
    && install -d -o allclose -g allclose /cache /cache/compilation-cache /cache/compilation-cache-filled \
    && install -d /engine
COPY --from=environment /opt/allclose /opt/allclose
COPY problems /opt/allclose/problems
COPY deploy/container/Caddyfile deploy/container/health.py /opt/allclose/container/
ENV PATH=/opt/allclose/bin:/usr/local/bin:/usr/bin:/bin PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    ALLCLOSE_DATA=/data ALLCLOSE_PROBLEMS=/opt/allclose/problems ALLCLOSE_HOST=0.0.0.0
USER allclose
WORKDIR /data
ENTRYPOINT ["allclose"]
CMD ["serve", "--no-worker"]

# For workers whose boxes are bubblewrap's: what boxes see lies beside the worker.
FROM ${BASE} AS runtime
ARG PIP_EXTRA_INDEX_URL
ARG FLAVOUR=cpu
ARG FRAMEWORKS
COPY sandbox/images/*.txt build/wheels/${FLAVOUR}* /wheels/
COPY sandbox/images/install.sh /
RUN /install.sh

FROM service AS bubblewrap
COPY --from=runtime /allclose/runtime /allclose/runtime
ENV ALLCLOSE_RUNTIME=/allclose/runtime ALLCLOSE_SANDBOX=bubblewrap
