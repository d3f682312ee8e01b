package android.os;

import com.thumbturn.fake.FakeAndroid;

public final class SystemClock {
    SystemClock() {}

    public static long elapsedRealtime() {
        return FakeAndroid.now().main.time();
    }
}
