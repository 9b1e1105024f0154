from tools.verify_bundle import *
