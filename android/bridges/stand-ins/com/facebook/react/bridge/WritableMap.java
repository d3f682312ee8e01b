package com.facebook.react.bridge;

public interface WritableMap {
    void putString(String key, String value);
}
