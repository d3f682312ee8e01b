package android.os;

import com.thumbturn.fake.FakeAndroid;

public final class Looper {
    private static final Looper MAIN = new Looper();

    private Looper() {}

    public static Looper getMainLooper() {
        return MAIN;
    }

    public boolean isCurrentThread() {
        return FakeAndroid.now().main.isCurrentThread();
    }
}
