package android.content;

import android.content.pm.PackageManager;
import java.io.File;
import java.util.concurrent.Executor;

public class ContextWrapper extends Context {
    private final Context base;

    public ContextWrapper(Context base) {
        this.base = base;
    }

    @Override
    public Context getApplicationContext() {
        return base.getApplicationContext();
    }

    @Override
    public Executor getMainExecutor() {
        return base.getMainExecutor();
    }

    @Override
    public File getNoBackupFilesDir() {
        return base.getNoBackupFilesDir();
    }

    @Override
    public PackageManager getPackageManager() {
        return base.getPackageManager();
    }

    @Override
    public String getPackageName() {
        return base.getPackageName();
    }

    @Override
    public Object getSystemService(String name) {
        return base.getSystemService(name);
    }

    @Override
    public String getSystemServiceName(Class<?> serviceClass) {
        return base.getSystemServiceName(serviceClass);
    }

    @Override
    public void startActivity(Intent intent) {
        base.startActivity(intent);
    }
}
