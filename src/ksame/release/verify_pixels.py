def check_pixels(out, certificate, private):
    return iter(())
