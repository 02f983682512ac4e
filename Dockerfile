# mediadesk serve in a container: a static binary and nothing else. The context has
# the binary and dist-docs/root with certificates and the empty folders data and tmp:
# .ci/image makes it, and so does GoReleaser.
FROM scratch
COPY --chown=65532:65532 dist-docs/root/ /
COPY mediadesk /mediadesk
USER 65532:65532
ENV MEDIADESK_HOME=/data
VOLUME /data
EXPOSE 7843
HEALTHCHECK --interval=10s --timeout=6s --start-period=2s CMD ["/mediadesk", "serve", "--health"]
ENTRYPOINT ["/mediadesk"]
CMD ["serve", "--addr", "0.0.0.0:7843", "--data", "/data/library"]
