package com.example.bridge

import com.facebook.react.ReactPackage
import com.facebook.react.bridge.Arguments
import com.facebook.react.bridge.NativeModule
import com.facebook.react.bridge.Promise
import com.facebook.react.bridge.ReactApplicationContext
import com.facebook.react.bridge.ReactContextBaseJavaModule
import com.facebook.react.bridge.ReactMethod
import com.facebook.react.uimanager.ViewManager

/** The module for React Native. */
class ThumbturnModule(context: ReactApplicationContext) : ReactContextBaseJavaModule(context) {
    private val calls by lazy { ThumbturnCalls(context) }

    override fun getName() = "Thumbturn"

    @ReactMethod
    fun call(name: String, json: String, promise: Promise) {
        reactApplicationContext.runOnUiQueueThread {
            calls.call(name, json, promise::resolve) { code, text, details ->
                promise.reject(code, text, Arguments.createMap().apply { putString("details", details) })
            }
        }
    }

    override fun invalidate() {
        reactApplicationContext.runOnUiQueueThread { calls.close() }
    }
}

class ThumbturnPackage : ReactPackage {
    override fun createNativeModules(context: ReactApplicationContext): List<NativeModule> = listOf(ThumbturnModule(context))

    override fun createViewManagers(context: ReactApplicationContext): List<ViewManager<*, *>> = emptyList()
}
