package android.os;

import com.thumbturn.fake.FakeAndroid;

/** The level is not final here, so that one process can be many phones. */
public class Build {
    public static final String MANUFACTURER = FakeAndroid.text("Maker");
    public static final String MODEL = FakeAndroid.text("Model");

    public Build() {}

    public static class VERSION {
        public static final String RELEASE = FakeAndroid.text("16");
        public static final String SECURITY_PATCH = FakeAndroid.text("2026-11-05");
        public static int SDK_INT = 36;

        public VERSION() {}
    }
}
