package android.os;

import com.thumbturn.fake.FakeAndroid;

public class Handler {
    public Handler(Looper looper) {}

    public final boolean post(Runnable r) {
        return postDelayed(r, 0);
    }

    public final boolean postDelayed(Runnable r, long delayMillis) {
        FakeAndroid.now().main.postAfter(delayMillis, r);
        return true;
    }
}
