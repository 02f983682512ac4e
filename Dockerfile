# mediadesk serve in a container: a static binary and nothing else.
# root/ has the binary, certificates and the empty folders data and tmp: .ci/image makes it.
FROM scratch
COPY --chown=65532:65532 root/ /
USER 65532:65532
ENV MEDIADESK_HOME=/data
VOLUME /data
EXPOSE 7843
HEALTHCHECK --interval=10s --timeout=6s --start-period=2s CMD ["/mediadesk", "serve", "--health"]
ENTRYPOINT ["/mediadesk"]
CMD ["serve", "--addr", "0.0.0.0:7843", "--data", "/data/library"]
