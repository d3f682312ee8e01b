package com.thumbturn.internal;

import com.thumbturn.fake.FakeAndroid;

/** Starts fake phones for tests that are written in Swift; {@link FakeAndroid#tell} drives them. */
public final class JvmPhone {
    private JvmPhone() {}

    /** Starts a new phone of this API level with the bridge to the native library installed. */
    public static void start(int level) {
        FakeAndroid android = FakeAndroid.start(level);
        Bridge.resetForTests(Bridge.NATIVE);
        Bridge.install(android.application);
    }
}
