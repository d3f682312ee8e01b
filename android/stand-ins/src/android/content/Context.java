package android.content;

import android.content.pm.PackageManager;
import com.thumbturn.fake.FakeAndroid;
import java.io.File;
import java.util.concurrent.Executor;

public abstract class Context {
    public Context() {}

    public abstract Context getApplicationContext();

    public Executor getMainExecutor() {
        return FakeAndroid.now().main::post;
    }

    public abstract File getNoBackupFilesDir();

    public abstract PackageManager getPackageManager();

    public abstract String getPackageName();

    /** The number, where no test has texts. */
    public final String getString(int resId) {
        return "string " + resId;
    }

    public final String getString(int resId, Object... formatArgs) {
        return getString(resId) + " " + java.util.Arrays.toString(formatArgs);
    }

    public abstract Object getSystemService(String name);

    public final <T> T getSystemService(Class<T> serviceClass) {
        String name = getSystemServiceName(serviceClass);
        return name == null ? null : serviceClass.cast(getSystemService(name));
    }

    public abstract String getSystemServiceName(Class<?> serviceClass);

    public abstract void startActivity(Intent intent);
}
