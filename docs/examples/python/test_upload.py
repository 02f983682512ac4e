from imagekitio import ImageKit


def test_upload():
    """The client reads IMAGE_KIT_BASE_URL and IMAGEKIT_PRIVATE_KEY, which mediadesk serve --exec sets."""
    client = ImageKit()
    file = client.files.upload(file=b"hello", file_name="hello.txt", tags=["greeting"])
    assert client.files.get(file.file_id).tags == ["greeting"]
