package com.thumbturn.internal;

/** What one prompt asks for and shows. */
final class PromptRequest {
    final PromptForm.Rung rung;
    final String title;
    @Nullable final String reason;
    @Nullable final String negative;
    @Nullable final String alias;
    @Nullable final KeyUse use;
    @Nullable final byte[] iv;
    final boolean confirmation;

    private PromptRequest(Message.Reader request) {
        rung = PromptForm.Rung.values()[request.number(1, PromptForm.Rung.values().length) - 1];
        title = request.text();
        reason = request.textOrNull();
        negative = request.textOrNull();
        alias = request.textOrNull();
        long number = request.number();
        use = number == 0 ? null : KeyUse.of(number);
        iv = request.bytesOrNull();
        confirmation = request.flag();
        request.end();
        if ((alias == null) != (use == null)) {
            throw new IllegalArgumentException("an alias and a use come together");
        }
        if (use == KeyUse.ENCRYPT || use == KeyUse.MAC) {
            throw new IllegalArgumentException("no prompt is needed to encrypt or to compute a MAC");
        }
    }

    static PromptRequest read(Message.Reader request) {
        return new PromptRequest(request);
    }
}
