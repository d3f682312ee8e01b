package io.flutter.embedding.engine.plugins;

import android.content.Context;
import io.flutter.plugin.common.BinaryMessenger;

public interface FlutterPlugin {
    void onAttachedToEngine(FlutterPluginBinding binding);

    void onDetachedFromEngine(FlutterPluginBinding binding);

    abstract class FlutterPluginBinding {
        public abstract Context getApplicationContext();

        public abstract BinaryMessenger getBinaryMessenger();
    }
}
