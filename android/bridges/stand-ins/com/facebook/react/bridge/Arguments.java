package com.facebook.react.bridge;

public final class Arguments {
    private Arguments() {}

    public static WritableMap createMap() {
        throw new UnsupportedOperationException("a stand-in");
    }
}
