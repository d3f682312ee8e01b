package android.app;

import com.thumbturn.fake.FakeAndroid;

public class ActivityManager {
    ActivityManager() {}

    public static void getMyMemoryState(RunningAppProcessInfo outState) {
        outState.importance = FakeAndroid.now().importance;
    }

    public static class RunningAppProcessInfo {
        public static final int IMPORTANCE_CACHED = 400;
        public static final int IMPORTANCE_FOREGROUND = 100;
        public static final int IMPORTANCE_VISIBLE = 200;

        public int importance;

        public RunningAppProcessInfo() {}
    }
}
