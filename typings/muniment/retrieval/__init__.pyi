from retrieval import *
